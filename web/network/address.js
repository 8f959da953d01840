// The parts of a room's address: the room, whether it is view-only, and the token.

/**
 * The token for this tab. A browser that keeps nothing has it as long as the page is open.
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
 * Opens the page again with another token, also where this browser can't remember it.
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
 * Reads the address of the page. A token is taken out of it, so that it gets neither into the history nor into a copied
 * link.
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
    // An address that isn't escaped well names no room.
  }
  return {
    room: room && isRoomName(room) ? room : null,
    viewOnly: new URLSearchParams(location.search).has('view'),
    token,
  }
}

/**
 * The link that others are given.
 *
 * @param {string} room @param {boolean} [viewOnly]
 */
export function roomLink(room, viewOnly = false) {
  return `${location.origin}/r/${room}${viewOnly ? '?view' : ''}`
}

/**
 * Where a room's socket is.
 *
 * @param {string} room @param {string | null} token
 */
export function socketAddress(room, token) {
  const query = token ? `?token=${encodeURIComponent(token)}` : ''
  return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/v1/rooms/${room}/sync${query}`
}

/**
 * Asks the server over HTTP, with the token where there is one.
 *
 * @param {string} path @param {RequestInit} [options]
 */
export function ask(path, options = {}) {
  const headers = new Headers(options.headers)
  if (token) headers.set('Authorization', `Bearer ${token}`)
  return fetch(path, { ...options, headers })
}
