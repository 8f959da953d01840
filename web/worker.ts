// The service worker. It stores the page's files, so that the page opens without a network. The page itself stores the
// drawing.
//
// With a network, a page is opened from the server, so it is always the newest version. The worker stores a complete
// set of files of one version, or none. A new set is loaded while the old set is still in use, and replaces the old one
// when it is complete.
//
// A page gets files of its own version only. A page that was opened from a stored set gets all files from that set. A
// page from the server gets no file of a stored set with another version: failing to load is better than mixing two
// versions.

// TypeScript doesn't know that this is a service worker.
const worker: ServiceWorkerGlobalScope = self as any

const prefix = 'page '
const listingPath = '/page.json'
/** If the network doesn't answer within this time, the page is opened from the stored files. */
const patienceMilliseconds = 3_000

/**
 * Remembers which set of files belongs to which page, by the browser's identifiers of pages. This is stored, because a
 * browser stops an idle worker, and a page can load parts long after it was opened.
 */
class SetsOfPages {
  static #cache = 'pages'
  #known = new Map<string, string | undefined>()
  #kind

  constructor(kind: string) {
    this.#kind = kind
  }

  #path(page: string) { return `/${this.#kind}/${page}` }

  async put(page: string, set: string) {
    this.#known.set(page, set)
    // The set is also stored for later runs of the worker. If the storage is full, only this run of the worker knows
    // the set.
    const cache = await caches.open(SetsOfPages.#cache)
    await cache.put(this.#path(page), new Response(set)).catch(() => {})
  }

  async get(page: string) {
    if (!this.#known.has(page)) {
      const kept = await caches.match(this.#path(page), { cacheName: SetsOfPages.#cache })
      const set = await kept?.text()
      if (!this.#known.has(page)) this.#known.set(page, set)
    }
    return this.#known.get(page)
  }

  /** Forgets pages that are closed. */
  static async tidy() {
    const open = await worker.clients.matchAll({ includeUncontrolled: true })
    const cache = await caches.open(SetsOfPages.#cache)
    for (const { url } of await cache.keys()) {
      const page = url.split('/').at(-1) ?? ''
      const isOpen = open.some(({ id }) => id === page) || openedFrom.#known.has(page) || sameAs.#known.has(page)
      if (!isOpen) await cache.delete(url)
    }
  }
}

/** For each page, the stored set of files from which the page was opened. */
const openedFrom = new SetsOfPages('opened')
/**
 * For each page that came from the server and not from a stored set: the stored set with the same version of the files.
 * The page's script first asks for the page's version, and the set is remembered then.
 */
const sameAs = new SetsOfPages('same')

/** Files of these kinds may be of another version than the page, because they don't refer to other files. */
const harmless = ['image', 'manifest']

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

/** Whether a path is one of the page's files. Rooms and metrics are not stored: they always come from the server. */
function isOfThePage(path: string) {
  return !path.startsWith('/v1/') && !['/healthz', '/readyz', '/metrics', '/worker.js'].includes(path)
}

/** The path of the file that the server sends for a path. */
function fileOf(path: string) {
  if (path === '/') return '/index.html'
  return path.startsWith('/r/') ? '/room.html' : path
}

function navigate(event: FetchEvent, path: string) {
  return answered(fetch(event.request, { signal: endedAfter(patienceMilliseconds) }), async () => {
    const set = await completeSet()
    if (set === undefined) return undefined
    const kept = await keptFile(set, fileOf(path))
    if (kept) await openedFrom.put(event.resultingClientId, set)
    return kept
  })
}

/** The server's answer, or else what is stored. What a proxy answers while the server is gone is no answer of the server's. */
async function answered(asked: Promise<Response>, stored: () => Promise<Response | undefined>) {
  const answer = await asked.catch((error: unknown) => error)
  if (answer instanceof Response && ![502, 503, 504].includes(answer.status)) return answer
  const kept = await stored()
  if (kept) return kept
  if (answer instanceof Response) return answer
  throw answer
}

function endedAfter(milliseconds: number) {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), milliseconds)
  return controller.signal
}

async function file(event: FetchEvent, path: string) {
  const { clientId, request } = event
  const isOwnListing = path === listingPath && new URL(request.url).search === '?own'
  const opened = await openedFrom.get(clientId)
  // The listing names a version. Without `?own` it must come from the server, because the page asks for the server's
  // version.
  if (opened !== undefined && (path !== listingPath || isOwnListing)) {
    // The page was opened from this set of files. A newer set has replaced it, so its files are gone.
    if (!await caches.has(opened)) return Response.error()
    const kept = await keptFile(opened, path)
    if (isOwnListing) kept?.headers.set('kept', 'own')
    if (kept) return kept
  }
  const answer = await answered(fetch(request), async () => {
    const set = opened ?? (harmless.includes(request.destination) ? await completeSet() : await sameAs.get(clientId))
    return set === undefined || path === listingPath ? undefined : keptFile(set, path)
  })
  if (isOwnListing && answer.ok) await sameAs.put(clientId, prefix + (await answer.clone().json()).version)
  return answer
}

/** The name of the complete set. A set is complete if it contains the listing, because the listing is stored last. */
async function completeSet(): Promise<string | undefined> {
  for (const name of await caches.keys()) {
    if (name.startsWith(prefix) && await (await caches.open(name)).match(listingPath)) return name
  }
  return undefined
}

async function keptFile(set: string, path: string) {
  const kept = await caches.match(path, { cacheName: set })
  return kept && new Response(kept.body, { status: kept.status, headers: kept.headers })
}

/** The latest run of `takeIn`. */
let refreshing = Promise.resolve()

/**
 * Stores the files of the server's version, unless they are stored already. If a run is in progress, another run
 * follows it, because the first one might have begun before the server was upgraded.
 */
function refresh() {
  refreshing = refreshing.catch(() => {}).then(takeIn)
  return refreshing
}

async function takeIn() {
  const listing = await listed()
  const { version, files }: { version: string, files: string[] } = await listing.clone().json()
  const name = prefix + version
  const set = await caches.open(name)
  if (!await set.match(listingPath)) {
    await Promise.all(files.filter((path) => path !== '/worker.js').map(async (path) => {
      const answer = await fetch(path, { cache: 'no-cache' })
      if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
      await set.put(path, answer)
    }))
    // The server was upgraded while the files were loaded. They can be of two versions, so all are dropped.
    if ((await (await listed()).json()).version !== version) {
      await caches.delete(name)
      throw new Error('the page changed while it was taken in')
    }
    await set.put(listingPath, listing)
  }
  const others = (await caches.keys()).filter((other) => other.startsWith(prefix) && other !== name)
  await Promise.all(others.map((other) => caches.delete(other)))
  await SetsOfPages.tidy()
}

async function listed() {
  const listing = await fetch(listingPath, { cache: 'no-store' })
  if (!listing.ok) throw new Error(`${listingPath}: ${listing.status}`)
  return listing
}
