// Keeps the page's files, so that it opens without a network. The page itself keeps the drawing.
//
// With a network the page is always the server's newest: the worker asks there first. It keeps a whole set of files of one
// version, or nothing. A new set is taken in beside the old one, and takes its place when it is complete. A page that was
// opened from the kept set gets all its files from there, so that files of two versions never meet.

/** @type {ServiceWorkerGlobalScope} */
const worker = /** @type {any} the checker takes every worker for a plain one */ (self)

const prefix = 'page '
const listingPath = '/page.json'
/** When the page is opened, a network that takes longer to answer counts as none. */
const patienceMilliseconds = 3_000

/** Pages that were opened from the kept set, by the browser's identifiers. */
const keptClients = new Set(/** @type {string[]} */ ([]))

worker.addEventListener('install', (event) => {
  event.waitUntil(refresh().then(() => worker.skipWaiting()))
})

worker.addEventListener('activate', (event) => {
  event.waitUntil(worker.clients.claim())
})

worker.addEventListener('message', (event) => {
  if (event.data === 'refresh') event.waitUntil(refresh().catch(() => {}))
})

worker.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin || !isOfThePage(pathname)) return
  if (request.mode === 'navigate') event.respondWith(navigate(event, pathname))
  else event.respondWith(file(event, pathname))
})

/**
 * Rooms and figures always come from the server.
 *
 * @param {string} path
 */
function isOfThePage(path) {
  return !path.startsWith('/v1/') && !['/healthz', '/readyz', '/metrics', '/worker.js'].includes(path)
}

/**
 * The file that is served at a path.
 *
 * @param {string} path
 */
function fileOf(path) {
  if (path === '/') return '/index.html'
  return path.startsWith('/r/') ? '/room.html' : path
}

/** @param {FetchEvent} event @param {string} path */
async function navigate(event, path) {
  try {
    return await fetch(event.request, { signal: endedAfter(patienceMilliseconds) })
  } catch (error) {
    const kept = await keptFile(fileOf(path))
    if (!kept) throw error
    keptClients.add(event.resultingClientId)
    return kept
  }
}

/** @param {number} milliseconds */
function endedAfter(milliseconds) {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), milliseconds)
  return controller.signal
}

/** @param {FetchEvent} event @param {string} path */
async function file(event, path) {
  const isKeptPage = keptClients.has(event.clientId)
  // The server tells which version it has. Only the kept set tells which version a page from it has.
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

/**
 * A file of the complete set. The listing is put into a set last.
 *
 * @param {string} path
 */
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

/** @type {Promise<void> | null} */
let refreshing = null

/** Takes in the files of the server's version, unless they are here. One run at a time. */
function refresh() {
  refreshing ??= takeIn().finally(() => { refreshing = null })
  return refreshing
}

async function takeIn() {
  const listing = await listed()
  /** @type {{version: string, files: string[]}} */
  const { version, files } = await listing.clone().json()
  const name = prefix + version
  const set = await caches.open(name)
  if (!await set.match(listingPath)) {
    await Promise.all(files.filter((path) => path !== '/worker.js').map(async (path) => {
      const answer = await fetch(path, { cache: 'no-cache' })
      if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
      await set.put(path, answer)
    }))
    // If the server was upgraded meanwhile, some files are of one version and some of the other.
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
