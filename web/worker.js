// Keeps the page's files, so that it opens without a network; the drawing is kept by the page itself.
//
// With a network the page is always the server's newest: files are asked for there first. What is kept is a whole set of
// files of one version, or nothing: a new set is taken in beside the old one and takes its place when it is complete. A page that was opened
// from the kept set gets all its files from there, so that files of two versions never meet.

const prefix = 'page '
const listingPath = '/page.json'
/** A network that doesn't answer within this is none, as far as opening the page goes. */
const patienceMilliseconds = 3_000

/** Pages that were opened from the kept set. */
const keptClients = new Set()

self.addEventListener('install', (event) => {
  event.waitUntil(refresh().then(() => self.skipWaiting()))
})

self.addEventListener('activate', (event) => {
  event.waitUntil(self.clients.claim())
})

self.addEventListener('message', (event) => {
  if (event.data === 'refresh') event.waitUntil(refresh().catch(() => {}))
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin || !isOfThePage(pathname)) return
  if (request.mode === 'navigate') event.respondWith(navigate(event, pathname))
  else event.respondWith(file(event, pathname))
})

/** Rooms and figures are asked of the server, or not at all. */
function isOfThePage(path) {
  return !path.startsWith('/v1/') && !['/healthz', '/readyz', '/metrics', '/worker.js'].includes(path)
}

/** The file that is served at a path. */
function fileOf(path) {
  if (path === '/') return '/index.html'
  return path.startsWith('/r/') ? '/room.html' : path
}

async function navigate(event, path) {
  try {
    return await fetch(event.request, { signal: AbortSignal.timeout(patienceMilliseconds) })
  } catch (error) {
    const kept = await keptFile(fileOf(path))
    if (!kept) throw error
    keptClients.add(event.resultingClientId)
    return kept
  }
}

async function file(event, path) {
  const isKeptPage = keptClients.has(event.clientId)
  // Which version the server has is a question to the server; which one a page is of, to the page.
  if (isKeptPage && (path !== listingPath || new URL(event.request.url).search === '?own')) {
    const kept = await keptFile(path)
    if (kept) return kept
  }
  try {
    return await fetch(event.request)
  } catch (error) {
    const kept = await keptFile(path)
    if (kept) return kept
    throw error
  }
}

/** From the set that is whole: the listing is put into it last. */
async function keptFile(path) {
  for (const name of await caches.keys()) {
    if (!name.startsWith(prefix)) continue
    const set = await caches.open(name)
    if (!await set.match(listingPath)) continue
    const kept = await set.match(path)
    if (kept) return new Response(kept.body, { status: kept.status, headers: kept.headers })
  }
  return undefined
}

let refreshing = null

/** Takes in the files of the server's version, unless they are here. One at a time. */
function refresh() {
  refreshing ??= takeIn().finally(() => { refreshing = null })
  return refreshing
}

async function takeIn() {
  const listing = await listed()
  const { version, files } = await listing.clone().json()
  const name = prefix + version
  const set = await caches.open(name)
  if (!await set.match(listingPath)) {
    await Promise.all(files.filter((path) => path !== '/worker.js').map(async (path) => {
      const answer = await fetch(path, { cache: 'no-cache' })
      if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
      await set.put(path, answer)
    }))
    // Where the server was upgraded meanwhile, some files are of one version and some of the other.
    if ((await (await listed()).json()).version !== version) {
      await caches.delete(name)
      throw new Error('the page changed while it was taken in')
    }
    await set.put(listingPath, listing)
  }
  const others = (await caches.keys()).filter((other) => other.startsWith(prefix) && other !== name)
  await Promise.all(others.map((other) => caches.delete(other)))
}

async function listed() {
  const listing = await fetch(listingPath, { cache: 'no-store' })
  if (!listing.ok) throw new Error(`${listingPath}: ${listing.status}`)
  return listing
}
