// The parts of a room's address: the room, whether the link is view-only, and the token.

/**
 * The token for this tab. If the browser stores nothing, it lasts as long as the page is open.
 *
 * @type {string | null}
 */
let token = null
try {
  token = sessionStorage.getItem('token')
} catch {
  // Site data is blocked.
}

/** @param {string} given */
export function takeToken(given) {
  token = given
  try {
    sessionStorage.setItem('token', given)
  } catch {
    // See above.
  }
}

/**
 * Opens the page again with another token, even if this browser can't store it.
 *
 * @param {string} given
 */
export function enterWith(given) {
  takeToken(given)
  location.hash = new URLSearchParams({ token: given }).toString()
  location.reload()
}

const roomNames = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/

/** @param {string} name @returns {boolean} */
export function isRoomName(name) {
  return roomNames.test(name)
}

/**
 * Reads the page's address. A token is removed from it, so that it doesn't get into the history or into a copied link.
 *
 * @returns {{room: string | null, viewOnly: boolean, token: string | null}}
 */
export function readAddress() {
  const fragment = new URLSearchParams(location.hash.slice(1))
  if (fragment.has('token')) {
    takeToken(fragment.get('token') ?? '')
    history.replaceState(history.state, '', location.pathname + location.search)
  }
  let room = null
  try {
    room = decodeURIComponent(location.pathname.match(/^\/r\/([^/]+)\/?$/)?.[1] ?? '')
  } catch {
    // An address with invalid escapes names no room.
  }
  return {
    room: room && isRoomName(room) ? room : null,
    viewOnly: new URLSearchParams(location.search).has('view'),
    token,
  }
}

/**
 * The link that is given to others.
 *
 * @param {string} room @param {boolean} [viewOnly]
 */
export function roomLink(room, viewOnly = false) {
  return `${location.origin}/r/${room}${viewOnly ? '?view' : ''}`
}

/**
 * The address of a room's socket.
 *
 * @param {string} room @param {string | null} token
 */
export function socketAddress(room, token) {
  const query = token ? `?token=${encodeURIComponent(token)}` : ''
  return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/v1/rooms/${room}/sync${query}`
}

/**
 * Sends an HTTP request to the server, with the token if there is one.
 *
 * @param {string} path @param {RequestInit} [options]
 */
export function ask(path, options = {}) {
  const headers = new Headers(options.headers)
  if (token) headers.set('Authorization', `Bearer ${token}`)
  return fetch(path, { ...options, headers })
}
