// The parts of a room's address: the room, whether the link is view-only, and the token.

/** The token for this tab. If the browser doesn't store it, it lasts as long as the page is open. */
let token: string | null = null
try {
  token = sessionStorage.getItem('token')
} catch {
  // The browser doesn't let this site store data.
}

export function takeToken(given: string) {
  token = given
  try {
    sessionStorage.setItem('token', given)
  } catch {
    // See above.
  }
}

/** Opens the page again with another token, even if this browser can't store the token. */
export function enterWith(given: string) {
  takeToken(given)
  location.hash = new URLSearchParams({ token: given }).toString()
  location.reload()
}

const roomNames = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/

export function isRoomName(name: string): boolean {
  return roomNames.test(name)
}

/**
 * Reads the page's address. The token is removed from the address, so that it doesn't get into the browser's history or
 * into a copied link.
 */
export function readAddress(): { room: string | null, viewOnly: boolean, token: string | null } {
  const fragment = new URLSearchParams(location.hash.slice(1))
  if (fragment.has('token')) {
    takeToken(fragment.get('token') ?? '')
    history.replaceState(history.state, '', location.pathname + location.search)
  }
  let room = null
  try {
    room = decodeURIComponent(location.pathname.match(/^\/r\/([^/]+)\/?$/)?.[1] ?? '')
  } catch {
    // An address that is wrongly escaped names no room.
  }
  return {
    room: room && isRoomName(room) ? room : null,
    viewOnly: new URLSearchParams(location.search).has('view'),
    token,
  }
}

/** The link that people give to others. */
export function roomLink(room: string, viewOnly = false) {
  return `${location.origin}/r/${room}${viewOnly ? '?view' : ''}`
}

/** The address of a room's socket. */
export function socketAddress(room: string, token: string | null) {
  const query = token ? `?token=${encodeURIComponent(token)}` : ''
  return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/v1/rooms/${room}/sync${query}`
}

/** If the server sends nothing for this long, before its answer or in the middle of it, the server counts as gone. */
const silentMilliseconds = 20_000
/** The same where it has to work first, on what a long past has left, and others may be before. Proxies wait no longer. */
export const workingMilliseconds = 60_000

/**
 * Sends a request to the server over HTTP, with the token if there is one. Returns the whole answer.
 *
 * @returns fails where the server is silent for as long as `patience`
 */
export async function ask(
  path: string, { signal, patience = silentMilliseconds }: { signal?: AbortSignal, patience?: number } = {},
): Promise<Response> {
  const headers = new Headers(token ? { Authorization: `Bearer ${token}` } : {})
  const aborts = new AbortController()
  const stop = () => aborts.abort(signal?.reason)
  signal?.addEventListener('abort', stop)
  if (signal?.aborted) stop()
  let timer = 0
  const wait = () => {
    clearTimeout(timer)
    timer = setTimeout(() => aborts.abort(new Error('the server is silent')), patience)
  }
  try {
    wait()
    const { body, status, statusText, headers: answered } = await fetch(path, { headers, signal: aborts.signal })
    const parts: Uint8Array[] = []
    const reader = body?.getReader()
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      wait()
      parts.push(part.value)
    }
    return new Response(parts.length > 0 ? new Blob(parts) : null, { status, statusText, headers: answered })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}
