// Tests what a page tells others and keeps of a person: presence, name and colour, the style of the next shape, addresses.

import assert from 'node:assert/strict'
import { test } from 'node:test'

/** A browser's storage. */
class Storage {
  getItem(name) { return Object.hasOwn(this, name) ? this[name] : null }
  setItem(name, value) { this[name] = String(value) }
  removeItem(name) { delete this[name] }
}
for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(globalThis, name, { value: new Storage(), configurable: true, writable: true })
globalThis.location = { pathname: '/r/garden', search: '', hash: '', origin: 'https://draw.example', protocol: 'https:', host: 'draw.example', reload() { this.reloads = (this.reloads ?? 0) + 1 } }
globalThis.history = { state: 7, replaceState(...values) { this.replaced = values } }
const page = new EventTarget()
globalThis.addEventListener = page.addEventListener.bind(page)

const { Source } = await import('../../build/modules/basics/source.js')
const { ask, hasToken, isRoomName, readAddress, roomLink, socketAddress } = await import('../../build/modules/network/address.js')
const { answerOf, copyTo, Refused } = await import('../../build/modules/lobby/requests.js')
const { keepDistinct } = await import('../../build/modules/others/distinction.js')
const { welcome } = await import('../../build/modules/others/welcome.js')
const { Frames } = await import('../../build/modules/state/frames.js')
const { Me } = await import('../../build/modules/state/me.js')
const { Paint } = await import('../../build/modules/state/paint.js')
const { Permission } = await import('../../build/modules/state/permission.js')
const { Presence } = await import('../../build/modules/state/presence.js')
const { Setting } = await import('../../build/modules/state/setting.js')
const { Shown } = await import('../../build/modules/state/shown.js')
const { forgetAtOnce, keepAtOnce, keptAtOnce } = await import('../../build/modules/storage/farewell.js')
const { rememberedIdentity, rememberIdentity } = await import('../../build/modules/storage/identity.js')

/** A connection that notes what others are told. */
class Line extends Source {
  told = []
  role = 'editor'
  replica = {
    noteWriting: (...how) => this.told.push(['writing', ...how]), setPresence: (state) => [JSON.parse(JSON.stringify(state))],
    introduce: (who) => [who], status: () => ({ role: this.role }),
  }
  perform(effects) { this.told.push(...effects) }
  hear(effect) { this.tell('effect', effect) }
  take() { return this.told.splice(0) }
}

test('others are told what has changed, once, in tenths of a unit, and of long lists only a part', () => {
  const line = new Line()
  const presence = new Presence(line)
  presence.setCursor({ x: 1.26, y: -2.04 })
  presence.setCursor({ x: 1.3, y: -2 })
  assert.deepEqual(line.take(), [{ cursor: [1.3, -2] }])
  presence.setSelection([1, 2])
  presence.setLifted([2])
  presence.setView({ x: 0.04, y: 1, width: 2, height: 3.06 })
  assert.deepEqual(line.take().at(-1), { cursor: [1.3, -2], selection: ['000-000-001', '000-000-002'], lifted: ['000-000-002'], view: [0, 1, 2, 3.1] })
  presence.setHidden(true)
  assert.deepEqual(Object.keys(line.take()[0]), ['lifted', 'view'])
  presence.setCursor(null)
  assert.deepEqual(line.take(), [])
  presence.setHidden(false)
  assert.deepEqual(Object.keys(line.take()[0]), ['selection', 'lifted', 'view'])
  presence.setSelection(Array.from({ length: 101 }, (_, at) => at))
  assert.equal(line.take()[0].selection.length, 100)
  presence.setSelection([])
  presence.setLifted([])
  presence.setWriting(7)
  assert.deepEqual(line.take().at(-1), { view: [0, 1, 2, 3.1], writing: '000-000-007' })
  const typed = (text, caret) => {
    presence.setWriting(7, text, caret)
    return line.take()[0].typed
  }
  assert.equal(typed('a'.repeat(800), 0), 'a'.repeat(800))
  const long = Array.from({ length: 300 }, (_, at) => String(at).padStart(4, '0')).join('')
  assert.deepEqual([0, 600, 1_200].map((caret) => typed(long, caret)), [`${long.slice(0, 800)}…`, `…${long.slice(200, 1_000)}…`, `…${long.slice(400)}`])
  presence.setWriting(null, 'text')
  assert.deepEqual(line.take(), [{ view: [0, 1, 2, 3.1] }])
  const points = Array.from({ length: 130 }, (_, at) => ({ x: at, y: 0.06, width: 100 }))
  presence.setInk({ shape: 7, color: '#123456', width: 3, points })
  const [{ ink }] = line.take()
  assert.deepEqual([ink.at, ink.points.length, ink.points.slice(0, 2), ink.widths, ink.shape], [10, 240, [10, 0.1], undefined, '000-000-007'])
  presence.setInk({ shape: 7, color: '#123456', width: 3, points: [...points.slice(0, 2), { x: 9, y: 9, width: 50 }] })
  assert.deepEqual(line.take()[0].ink.widths, [100, 100, 50])
  presence.setInk(null)
  const stroke = presence.newLaserStroke()
  presence.setLaser(stroke, points.slice(0, 61))
  assert.deepEqual([line.take().at(-1).laser.at, presence.ownLaser.points.length, presence.ownLaser.points[0], presence.newLaserStroke()], [1, 120, 1, stroke + 1])
  presence.endLaser(stroke + 1)
  assert.ok(presence.ownLaser)
  presence.endLaser(stroke)
  assert.equal(presence.ownLaser, null)
  presence.setGuiding(true)
  presence.setFollowed(9)
  presence.setRestored({ asOf: 1, from: 2, until: 3 })
  presence.setPutBack([1, 2, 3, 4, 5, 6, 7, 8, 9])
  assert.deepEqual(line.take().at(-1), { view: [0, 1, 2, 3.1], guides: true, follows: '000-000-009', restored: [1, 2, 3], putBack: [2, 3, 4, 5, 6, 7, 8, 9] })
  assert.ok(presence.isGuiding)
  presence.setGuiding(false)
  presence.setFollowed(null)
  assert.deepEqual([Object.keys(line.take().at(-1)), presence.isGuiding], [['view', 'restored', 'putBack'], false])
})

test('who is there is known, who comes and goes is told, and a text that somebody puts back is told once', () => {
  const line = new Line()
  const presence = new Presence(line)
  const heard = []
  for (const name of ['people', 'change', 'putBack']) presence.on(name, () => heard.push(name))
  const peer = (actor, state) => ({ actor, name: `p${actor}`, color: '#123456', state })
  const hear = (effect) => {
    heard.length = 0
    line.hear(effect)
    return [presence.people().map(({ actor }) => actor), [...heard]]
  }
  assert.deepEqual(hear({ type: 'peers', peers: [peer(1), peer(2)] }), [[1, 2], ['change', 'people']])
  assert.deepEqual(hear({ type: 'joined', peer: peer(3) }), [[1, 2, 3], ['change', 'people']])
  assert.deepEqual(hear({ type: 'presence', peer: peer(3, { writing: '000-000-007' }) }), [[1, 2, 3], ['change']])
  assert.deepEqual(line.take().at(-1), ['writing', 3, 7])
  assert.deepEqual(hear({ type: 'presence', peer: peer(3, { putBack: [5] }) })[1], ['putBack', 'change'])
  assert.deepEqual(hear({ type: 'presence', peer: peer(3, { putBack: [5], cursor: [1, 1] }) })[1], ['change'])
  assert.deepEqual(hear({ type: 'presence', peer: peer(3, { putBack: [5, 6] }) })[1], ['putBack', 'change'])
  assert.deepEqual(hear({ type: 'left', actor: 2 }), [[1, 3], ['change', 'people']])
  assert.equal(presence.unnamedCount, 0)
  assert.deepEqual(hear({ type: 'crowd', people: 1_100 })[1], ['change', 'people'])
  assert.equal(presence.unnamedCount, 1_097)
  assert.deepEqual(hear({ type: 'peers', peers: [peer(4)] })[0], [4])
  assert.deepEqual([presence.person(4).name, presence.person(1)], ['p4', null])
  assert.deepEqual(hear({ type: 'pong' })[1], [])
})

test('a colour that one has chosen is kept, and one that is worn for a visit is not', () => {
  const line = new Line()
  const me = new Me(line, { name: 'Ann', color: '#111111', isColorChosen: false })
  const heard = []
  me.on('chosen', (who) => heard.push(who))
  me.on('change', (who) => heard.push(who))
  me.wear('#222222')
  assert.deepEqual([me.color, me.isColorChosen, line.take()], ['#222222', false, [{ name: 'Ann', color: '#222222' }]])
  me.become({ name: 'Eve', color: '#222222' })
  me.become({ name: 'Eve', color: '#333333' })
  assert.deepEqual(heard, [
    { name: 'Ann', color: '#222222' }, { name: 'Eve', color: '#222222' }, { name: 'Eve', color: '#111111', isColorChosen: false },
    { name: 'Eve', color: '#333333' }, { name: 'Eve', color: '#333333', isColorChosen: true },
  ])
  let starts = 0
  Object.assign(line, { isHelloRefused: true, start() { starts += 1 } })
  me.wear('#444444')
  me.become({ name: 'Bo', color: '#444444' })
  assert.equal(starts, 1, 'the server may take another name')
})

test('only who comes when somebody else has the same colour takes a free one', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const come = (color, met, later = met, own = [], chosen = null) => {
    const line = new Line()
    let people = met
    const me = new Me(line, { name: 'Ann', color, isColorChosen: false })
    keepDistinct({ connection: line, presence: { people: () => people }, ownTabs: { has: (actor) => own.includes(actor) }, me })
    if (chosen) me.become({ name: 'Ann', color: chosen })
    line.hear({ type: 'state', state: 'loading' })
    t.mock.timers.tick(300)
    line.hear({ type: 'state', state: 'live' })
    people = later
    t.mock.timers.tick(300)
    return me.color
  }
  const [red, blue] = ['#B42318', '#1D4ED8']
  const has = (actor, color) => ({ actor, color })
  assert.equal(come(red, [has(1, blue)]), red)
  assert.equal(come(red, [has(1, red)], undefined, [1]), red, 'another tab of oneself')
  assert.equal(come(red, [], [has(1, red)]), red, 'who comes later takes another one')
  assert.equal(come(blue, [has(1, red)], undefined, [], red), red, 'chosen before the room is there')
  for (let count = 0; count < 30; count++) {
    const worn = come(red, [has(1, red.toLowerCase()), has(2, blue)])
    assert.ok(worn && worn !== red && worn !== blue, worn)
  }
})

test('the style of the next shape is kept, and what is no style isn’t taken', () => {
  const play = new Setting('canvas.play')
  const paint = () => new Paint(play, {})
  const style = ({ fill, stroke, strokeWidth, dash, route, textSize }) => [fill, stroke, strokeWidth, dash, route, textSize]
  assert.deepEqual(style(paint()), [null, null, 4, 'solid', 'straight', 20])
  paint().choose({ fill: '#ABCDEF', stroke: '#123456', strokeWidth: 8 })
  const next = paint()
  next.choose({ dash: 'dotted', route: 'elbow', textSize: 30 })
  assert.deepEqual(style(paint()), ['#ABCDEF', '#123456', 8, 'dotted', 'elbow', 30])
  for (const [kept, expected] of [
    [{ fill: 'none', dash: 'dashed', route: 'curved' }, ['none', null, 4, 'dashed', 'curved', 20]], [{ fill: 'any', strokeWidth: 1_000, textSize: 1_000 }, ['any', null, 1_000, 'solid', 'straight', 1_000]],
    [{ fill: 'red', stroke: 'none', strokeWidth: 0, textSize: 0.5, dash: 'long', route: 'round' }, [null, null, 4, 'solid', 'straight', 20]],
    [{ fill: '#abcdef', strokeWidth: 1_001, textSize: 1_001 }, [null, null, 4, 'solid', 'straight', 20]], [{ textSize: 1, strokeWidth: 0.5 }, [null, null, 0.5, 'solid', 'straight', 1]],
  ]) {
    localStorage.setItem('canvas.paint', JSON.stringify(kept))
    assert.deepEqual(style(paint()), expected)
  }
  localStorage.setItem('canvas.paint', '{')
  assert.equal(paint().strokeWidth, 4)
  const chosen = paint()
  chosen.choose({ fill: 'any' })
  let heard = 0
  chosen.on('change', () => { heard += 1 })
  play.toggle()
  assert.deepEqual([chosen.fill, heard, new Setting('canvas.play').isOn], [null, 1, false])
  play.toggle()
  assert.deepEqual([chosen.fill, new Setting('canvas.play').isOn, new Setting('other', false).isOn], ['any', true, false])
})

test('a name and a colour are remembered, unless they are none', () => {
  rememberIdentity({ name: 'Ann', color: '#aB1234', isChosen: true, isColorChosen: true, isTold: true })
  assert.deepEqual(rememberedIdentity(), { name: 'Ann', color: '#aB1234', isChosen: true, isColorChosen: true, isTold: true })
  rememberIdentity({ name: 'Ann', color: '#AB1234', isChosen: 1 })
  assert.deepEqual(rememberedIdentity(), { name: 'Ann', color: '#AB1234', isChosen: false, isColorChosen: false, isTold: false })
  for (const wrong of [{ name: 'Ann', color: '#AB123' }, { name: 'Ann', color: 'red' }, { name: ' ', color: '#AB1234' }, { name: 7, color: '#AB1234' }]) {
    rememberIdentity({ isChosen: true, ...wrong })
    const made = rememberedIdentity()
    assert.ok(/^\w+ \w+$/.test(made.name) && /^#[0-9A-F]{6}$/.test(made.color) && !made.isChosen && !made.isColorChosen)
    assert.deepEqual(rememberedIdentity().name, made.name, 'what the page has chosen stays')
  }
})

test('a name that the page has chosen is told once, unless a person has chosen one before the room is there', () => {
  const come = (before = () => {}) => {
    const [line, said] = [new Line(), []]
    const shown = { replica: { shapeCount: 0, bounds: () => null } }
    welcome({
      connection: line, shown, permission: {}, tool: new Source(), view: new Source(), me: { name: 'Bold Fox' }, notices: { say: (words) => said.push(words) },
    }, new EventTarget())
    before()
    line.hear({ type: 'state', state: 'live' })
    return [said.length, rememberedIdentity().name, rememberedIdentity().isTold]
  }
  const unknown = () => rememberIdentity({ name: 'Bold Fox', color: '#AB1234', isChosen: false, isColorChosen: false })
  unknown()
  assert.deepEqual([come(), come()], [[1, 'Bold Fox', true], [0, 'Bold Fox', true]])
  unknown()
  assert.deepEqual(come(() => rememberIdentity({ name: 'Ann', color: '#AB1234', isChosen: true })), [0, 'Ann', false])
})

test('who may edit is who isn’t a viewer, and whose room is there, unless the past is shown', () => {
  const line = new Line()
  const shown = Object.assign(new (class extends Source { switch(isPast) { this.isPast = isPast; this.tell('past', isPast) } })(), { isPast: false })
  const permission = new Permission(line, shown, false)
  let heard = 0
  permission.on('change', () => { heard += 1 })
  const state = (effect) => {
    heard = 0
    if (effect) line.hear({ type: 'state', ...effect })
    return [permission.mayEdit, permission.isViewOnly, permission.isDeleted, heard]
  }
  assert.deepEqual(state(), [true, false, false, 0])
  line.role = 'viewer'
  assert.deepEqual(state({ state: 'live' }), [true, false, false, 0])
  assert.deepEqual(state({ state: 'loading' }), [false, true, false, 1])
  assert.equal(permission.whyNot, 'You can only look on now')
  line.role = 'editor'
  assert.deepEqual(state({ state: 'loading' }), [true, false, false, 1])
  assert.deepEqual(state({ state: 'closed', code: 'forbidden' }), [true, false, false, 0])
  assert.deepEqual(state({ state: 'closed', code: 'no_such_room' }), [false, false, true, 1])
  assert.equal(permission.whyNot, 'This room was deleted')
  assert.deepEqual(state({ state: 'connecting' }), [true, false, false, 1])
  heard = 0
  shown.switch(true)
  assert.deepEqual([permission.mayEdit, heard], [false, 1])
  const byLink = new Permission(line, Object.assign(new Source(), { isPast: false }), true)
  line.hear({ type: 'state', state: 'loading' })
  assert.deepEqual([byLink.isByLink, byLink.mayEdit, permission.isByLink], [true, false, false])
})

test('light or dark is as it was chosen last', async () => {
  const { dataset } = (globalThis.document = { documentElement: { dataset: {} } }).documentElement
  for (const [stored, theme] of [['blue', 'system'], ['dark', 'dark']]) {
    localStorage.setItem('canvas.theme', stored)
    const { appearance, setAppearance } = await import(`../../build/modules/storage/appearance.js?${stored}`)
    assert.equal(appearance(), theme)
    setAppearance('light')
    assert.deepEqual([dataset.theme, localStorage.getItem('canvas.theme')], ['light', 'light'])
    delete dataset.theme
  }
  delete globalThis.document
})

test('a page that looks at the past, at more of it and at the present again shows all that is there each time', () => {
  const heard = []
  const replicaOf = (name) => ({
    name, changes: () => ({ reset: false, shapes: [] }), shapes: () => [{ id: name }], overlapPairs: () => [[name, 'other']], destroy: () => heard.push(`${name} ends`),
  })
  const frames = Object.assign(new Source(), { request() {} })
  const shown = new Shown(Object.assign(new Source(), { replica: replicaOf('live') }), frames)
  shown.on('leaving', () => heard.push(`leaving ${shown.replica.name}`))
  shown.on('past', (isPast) => heard.push(isPast))
  shown.on('changes', ({ reset, shapes, pairs }) => heard.push([reset, ...shapes.map(({ shape }) => shape.id), ...(pairs ?? []).map(({ first }) => first)]))
  const frame = () => {
    frames.tell('update', 0)
    return heard.splice(0)
  }
  const [one, two] = [replicaOf('one'), replicaOf('two')]
  for (const [past, told] of [
    [one, ['leaving live', true, [true, 'one', 'one']]], [two, ['one ends', [true, 'two', 'two']]], [null, ['two ends', false, [true, 'live', 'live']]],
  ]) {
    shown.showPast(past)
    assert.deepEqual([frame(), frame(), shown.live.name], [told, [[false]], 'live'])
  }
})

test('a page that has stopped has no more frames, nor the one that it has asked for', () => {
  const due = new Map()
  Object.assign(globalThis, { requestAnimationFrame: (run) => due.set(1, run) && 1, cancelAnimationFrame: (frame) => due.delete(frame) })
  for (const asked of [0, 1]) {
    const connection = Object.assign(new Source(), { replica: {} })
    const shown = new Shown(connection, new Frames())
    if (asked) shown.showPast(null)
    assert.equal(due.size, asked)
    connection.tell('stopped', null)
    shown.showPast(null)
    assert.equal(due.size, 0)
  }
})

test('what was not stored when a page ended is kept at once, if it is not too much', () => {
  const record = { key: 'room 1', room: 'room', actor: 1, unsent: 2, at: 7, bytes: Uint8Array.of(0, 127, 128, 255) }
  keepAtOnce(record)
  keepAtOnce({ ...record, key: 'room 2', bytes: new Uint8Array(256 << 10) })
  assert.deepEqual(keptAtOnce().map(({ key, bytes }) => [key, bytes.length]), [['room 1', 4], ['room 2', 262_144]])
  assert.deepEqual(keptAtOnce()[0], record)
  keepAtOnce({ ...record, key: 'room 2', bytes: new Uint8Array((256 << 10) + 1) })
  assert.equal(keptAtOnce().length, 1, 'nor is an older state of it left')
  keepAtOnce({ ...record, unsent: 0 })
  assert.equal(keptAtOnce().length, 0)
  keepAtOnce(record)
  forgetAtOnce('room 2')
  assert.equal(keptAtOnce().length, 1)
  forgetAtOnce('room 1')
  localStorage.setItem('canvas edits room 3', '{"bytes":')
  assert.deepEqual([keptAtOnce(), localStorage.getItem('canvas edits room 3')], [[], null])
})

test('an address names a room, may be view-only, and loses its token', () => {
  const read = (pathname, search = '', hash = '') => {
    Object.assign(location, { pathname, search, hash })
    return readAddress()
  }
  assert.equal(hasToken(), false)
  assert.deepEqual(read('/r/garden'), { room: 'garden', viewOnly: false, token: null })
  assert.deepEqual(read('/r/garden/', '?view'), { room: 'garden', viewOnly: true, token: null })
  assert.equal(history.replaced, undefined)
  for (const path of ['/r/', '/r/a%2Fb', '/r/%', '/r/..', '/r/a/b', '/', `/r/${'a'.repeat(65)}`]) assert.equal(read(path).room, null, path)
  assert.deepEqual(['a', 'a.b', '.', '..', '...', 'a b', 'a'.repeat(64), ''].map(isRoomName), [true, true, false, false, true, false, true, false])
  assert.deepEqual(read('/r/garden', '?view', '#token=a+b%20'), { room: 'garden', viewOnly: true, token: 'a+b' })
  assert.deepEqual([history.replaced, hasToken(), sessionStorage.getItem('token')], [[7, '', '/r/garden?view'], true, 'a+b'])
  location.hash = ''
  page.dispatchEvent(new Event('hashchange'))
  assert.equal(location.reloads, undefined)
  location.hash = '#token=c%2Bd'
  page.dispatchEvent(new Event('hashchange'))
  assert.ok(location.reloads > 0)
  assert.deepEqual([roomLink('garden'), roomLink('garden', true)], ['https://draw.example/r/garden', 'https://draw.example/r/garden?view'])
  assert.deepEqual([socketAddress('garden', null), socketAddress('garden', 'a+b')],
    ['wss://draw.example/v1/rooms/garden/sync', 'wss://draw.example/v1/rooms/garden/sync?token=a%2Bb'])
  location.protocol = 'http:'
  assert.match(socketAddress('garden', null), /^ws:/)
})

test('a request has the token, and fails if the server is silent, but not while it sends', async (t) => {
  Object.assign(location, { pathname: '/r/garden', search: '', hash: '#token=a+b' })
  readAddress()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const turn = () => new Promise(setImmediate)
  let sent
  let give
  globalThis.fetch = (path, options) => {
    sent = { path, ...options }
    return new Promise((done, fail) => {
      give = (body, status = 200) => done(new Response(body, { status }))
      const stop = () => fail(options.signal.reason)
      if (options.signal.aborted) stop()
      else options.signal.addEventListener('abort', stop)
    })
  }
  const plain = ask('/v1/rooms')
  assert.deepEqual([sent.path, sent.method, sent.headers.get('Authorization'), sent.headers.get('Content-Type')], ['/v1/rooms', undefined, 'Bearer a+b', null])
  give('yes', 201)
  const answer = await plain
  assert.deepEqual([answer.status, await answer.text()], [201, 'yes'])
  const posted = ask('/v1/rooms', { method: 'POST', body: '{}' })
  assert.deepEqual([sent.method, sent.body, sent.headers.get('Content-Type')], ['POST', '{}', 'application/json'])
  t.mock.timers.tick(19_999)
  assert.equal(sent.signal.aborted, false)
  t.mock.timers.tick(1)
  await assert.rejects(posted, /silent/)
  const slow = ask('/', { patience: 1_000 })
  let parts
  give(new ReadableStream({ start(controller) { parts = controller } }))
  for (const part of ['a', 'b', 'c']) {
    await turn()
    t.mock.timers.tick(999)
    parts.enqueue(new TextEncoder().encode(part))
  }
  await turn()
  assert.equal(sent.signal.aborted, false)
  parts.close()
  assert.equal(await (await slow).text(), 'abc')
  t.mock.timers.tick(5_000)
  assert.equal(sent.signal.aborted, false)
  const aborts = new AbortController()
  const stopped = ask('/', { signal: aborts.signal })
  aborts.abort(new Error('stopped'))
  await assert.rejects(stopped, /stopped/)
  await assert.rejects(ask('/', { signal: aborts.signal }), /stopped/)
})

test('a room is copied with its drawing, an empty one is not, and what the server refuses is told', async () => {
  const sent = []
  const answer = (...answers) => {
    globalThis.fetch = async (path, { method = 'GET', body }) => {
      sent.push([method, path, body])
      const [words, status = 200] = [answers.shift()].flat()
      return new Response(words, { status })
    }
  }
  const drawing = '{"cursor":"a.1","shapes":[{}]}'
  answer(drawing, '{"cursor":"b.2"}')
  assert.deepEqual(await copyTo('garden', 'shed'), { original: 'a.1', copy: 'b.2' })
  assert.deepEqual(sent.splice(0), [['GET', '/v1/rooms/garden', undefined], ['POST', '/v1/rooms/shed/layout', drawing]])
  answer('{"cursor":"a.1","shapes":[]}')
  const refused = (words) => (error) => error instanceof Refused && error.message === words
  await assert.rejects(copyTo('garden', 'shed'), refused('garden is empty, so there is nothing to take over'))
  assert.deepEqual(sent, [['GET', '/v1/rooms/garden', undefined]])
  const refusal = '{"error":{"message":"no such room"}}'
  for (const [words, told] of [[refusal, 'no such room'], ['oops', 'The server says 404'], ['{}', 'The server says 404']]) {
    answer([words, 404])
    await assert.rejects(answerOf('/v1/rooms/garden'), refused(told))
  }
})
