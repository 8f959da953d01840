import { element } from '../elements/element.js'

/** After how long a part begins without its looks, if their request goes on. */
const looksMilliseconds = 20_000

/**
 * Loads a script with a bundle of its own (scripts/page), which only few people need, and with the first one the looks
 * of all of them. The path is a parameter, because the bundler would include a constant path.
 */
export async function bundle(path: string) {
  const [loaded] = await Promise.all([script(path), looks()])
  return loaded
}

async function script(path: string) {
  const before = tries.get(path) ?? 0
  tries.set(path, before + 1)
  return import(before === 0 ? path : `${path}?again=${before}`)
}

/**
 * How often loading a script was tried. Chromium remembers a failure until the page is reloaded, and waits for a request
 * that doesn't end, so each further try needs another address.
 */
const tries = new Map<string, number>()

let loading: Promise<unknown> | null = null

function looks() {
  loading ??= new Promise((resolve, reject) => {
    const sheet = element('link', { rel: 'stylesheet', href: '/room/later.css', onload: resolve, onerror: () => {
      sheet.remove()
      loading = null
      reject(new Error('later.css didn’t come'))
    } })
    document.head.append(sheet)
    setTimeout(resolve, looksMilliseconds)
  })
  return loading
}
