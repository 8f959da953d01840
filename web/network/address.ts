// The parts of a room's address: the room's name, whether the link is view-only, and the token.

/** The token for this tab. It is kept here in case the browser can't store it. */
let token: string | null = null
try {
  token = sessionStorage.getItem('token')
} catch {
  // The browser doesn't allow storage, so no token is stored.
}

export function takeToken(given: string) {
  token = given
  try {
    sessionStorage.setItem('token', given)
  } catch {
    // The browser doesn't allow storage, so only the variable keeps the token.
  }
}

/** Whether this person has entered with a token. Then others need one too. */
export const hasToken = () => token !== null

export const roomNameMax = 64
/** A room's name that has this may be written for another one (`room-names.ts`). */
export const nameMark = '..'
const roomNames = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/

export function isRoomName(name: string): boolean {
  return roomNames.test(name)
}

/**
 * Reads the page's address. Removes the token from the address, so that it gets neither into the browser's history nor
 * into copied links.
 */
export function readAddress(): { room: string | null, viewOnly: boolean, token: string | null } {
  const given = givenToken()
  if (given !== null) {
    takeToken(given)
    history.replaceState(history.state, '', location.pathname + location.search)
  }
  // A link with another token was pasted into this tab. By itself a browser doesn't load the page again if only this part
  // of its address changes.
  addEventListener('hashchange', () => {
    if (givenToken() !== null) location.reload()
  })
  let room = null
  try {
    room = decodeURIComponent(location.pathname.match(/^\/r\/([^/]+)\/?$/)?.[1] ?? '')
  } catch {
    // The address has an invalid escape sequence, so it names no room.
  }
  return {
    room: room && isRoomName(room) ? room : null,
    viewOnly: new URLSearchParams(location.search).has('view'),
    token,
  }
}

/** A `+` would be read as a space, which no token has. */
const givenToken = () => new URLSearchParams(location.hash.slice(1).replaceAll('+', '%2B')).get('token')?.trim() ?? null

/** The link by which other people can enter the room. */
export function roomLink(room: string, viewOnly = false) {
  return `${location.origin}/r/${room}${viewOnly ? '?view' : ''}`
}

/** The address of a room's WebSocket. */
export function socketAddress(room: string, token: string | null) {
  const query = token ? `?token=${encodeURIComponent(token)}` : ''
  return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/v1/rooms/${room}/sync${query}`
}

/** If the server sends nothing for this long, the request fails. */
const silentMilliseconds = 20_000
/**
 * The timeout for requests on which the server works longer, or which wait in a queue. A longer timeout would be of no
 * use, because proxies have the same limit.
 */
export const workingMilliseconds = 60_000

/**
 * Sends an HTTP request to the server, with the token if there is one.
 *
 * @returns the whole answer; rejects if the server sends nothing for the time `patience`
 */
export async function ask(
  path: string,
  { signal, patience = silentMilliseconds, method, body: sent }: {
    signal?: AbortSignal, patience?: number, method?: string, body?: string,
  } = {},
): Promise<Response> {
  const headers = new Headers(token ? { Authorization: `Bearer ${token}` } : {})
  if (sent !== undefined) headers.set('Content-Type', 'application/json')
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
    const { body, status, statusText, headers: answered } = await fetch(path, { method, body: sent, headers, signal: aborts.signal })
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
