const key = 'canvas.panel'

/** The tab that was open at the last visit; empty if the panel was closed or nothing is stored. */
export function lastTab() {
  try {
    return localStorage.getItem(key) ?? ''
  } catch {
    return ''
  }
}

export function rememberTab(name: string) {
  try {
    localStorage.setItem(key, name)
  } catch {
    // The choice can't be stored, so the next visit begins with the default.
  }
}

/** On a small screen the panel covers the canvas, so it opens only when the person asks for it. */
export const opensAtStart = () => lastTab() !== '' && !matchMedia('(max-width: 800px), (max-height: 480px)').matches
