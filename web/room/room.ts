import { Handles } from '../drawing/handles.js'
import { Overlay } from '../drawing/overlay.js'
import { Painter } from '../drawing/painter.js'
import { Palette } from '../drawing/palette.js'
import { Regions } from '../drawing/regions.js'
import { Scene } from '../drawing/scene.js'
import { measureStage } from '../drawing/stage.js'
import { View } from '../drawing/view.js'
import { element, elementById, isWithin } from '../elements/element.js'
import * as dialog from '../elements/dialog.js'
import { Astray } from '../furniture/astray.js'
import { peopleBar, roomBar } from '../furniture/bar.js'
import { Consent } from '../furniture/consent.js'
import { ContextMenu } from '../furniture/context-menu.js'
import { keepDistinct } from '../furniture/distinction.js'
import { Drop } from '../furniture/drop.js'
import { Files } from '../furniture/files.js'
import { Follow } from '../furniture/follow.js'
import { History } from '../furniture/history.js'
import { showHole } from '../furniture/hole-button.js'
import { Link } from '../furniture/link.js'
import { menuEntries, roomActions } from '../furniture/menu.js'
import { watchFreshness } from '../furniture/newer-page.js'
import { NoticeList } from '../furniture/notice-list.js'
import { People } from '../furniture/people.js'
import { Removals } from '../furniture/removals.js'
import { SelectionBar } from '../furniture/selection-bar.js'
import { States } from '../furniture/states.js'
import { Status } from '../furniture/status.js'
import { TextLosses } from '../furniture/text-losses.js'
import { Toolbar } from '../furniture/toolbar.js'
import { welcome } from '../furniture/welcome.js'
import { Writing } from '../furniture/writing.js'
import { Shaking } from '../gestures/shake.js'
import { readAddress } from '../network/address.js'
import { Connection, openSocket } from '../network/connection.js'
import { Freshness } from '../network/freshness.js'
import { Pacing } from '../network/pacing.js'
import { Pulse } from '../network/pulse.js'
import { Inspector } from '../panels/inspector.js'
import { Layers } from '../panels/layers.js'
import { Names } from '../panels/names.js'
import { Overlaps } from '../panels/overlaps.js'
import { Panel } from '../panels/panel.js'
import { Documents } from '../state/documents.js'
import { Editing } from '../state/editing.js'
import { Frames } from '../state/frames.js'
import { Groups } from '../state/groups.js'
import { Hand } from '../state/hand.js'
import { Locks } from '../state/locks.js'
import { Marks } from '../state/marks.js'
import { Me } from '../state/me.js'
import { Notices } from '../state/notices.js'
import { OwnTabs } from '../state/own-tabs.js'
import { Paint } from '../state/paint.js'
import { Parts } from '../state/parts.js'
import { Permission } from '../state/permission.js'
import { Play } from '../state/play.js'
import { Presence } from '../state/presence.js'
import { Refusals } from '../state/refusals.js'
import { Selection } from '../state/selection.js'
import { Shown } from '../state/shown.js'
import { Tool } from '../state/tool.js'
import { rememberedIdentity, rememberIdentity } from '../storage/identity.js'
import { Couriers } from '../storage/couriers.js'
import { Keeper, openReplica, watchTabs } from '../storage/keeper.js'
import { openCore } from './opening.js'
import { Clipboard } from '../tools/clipboard.js'
import { Hole } from '../tools/hole.js'
import { Lifting } from '../tools/lifting.js'
import { Momentum } from '../tools/momentum.js'
import { Shortcuts } from '../tools/shortcuts.js'
import { Tools } from '../tools/tools.js'

// The page of a room: makes all parts of the page, each from the parts that it needs.

const address = readAddress()
// This address names no room. The server has no page for such an address, but the stored page opens at any address.
if (address.room === null) location.replace('/')
else openRoom(address.room, address)

async function openRoom(room: string, { viewOnly, token }: { viewOnly: boolean, token: string | null }) {
  const identity = rememberedIdentity()
  wear(identity)
  document.title = `${room} · CanvasSync`

  // The room itself, without anything visible.

  // The socket is opened while the core is still loading, so that the room's state arrives right after the code,
  // without a pause.
  const socket = openSocket({ room, token })
  const core = await openCore()
  const options = { name: identity.name, color: identity.color, readonly: viewOnly }
  const { replica, release, leftBehind } = await openReplica(core, room, options)
  const connection = new Connection(replica, { room, token }, socket)
  core.trapped.addEventListener('abort', () => connection.stop())
  const pulse = new Pulse(connection)
  const frames = new Frames()
  const shown = new Shown(connection, frames)
  const permission = new Permission(connection, shown, viewOnly)
  const presence = new Presence(connection, new Pacing(connection))
  const ownTabs = new OwnTabs(room, connection)
  const me = new Me(connection, identity)
  const names = new Names(shown, presence)
  const notices = new Notices()
  const freshness = new Freshness()
  const parts = new Parts(freshness, notices)
  const documents = new Documents(core, parts)
  const editing = new Editing({ connection, shown, permission, notices, frames })
  const selection = new Selection(shown)
  const locks = new Locks({ shown, editing, notices })
  const groups = new Groups({ shown, selection, locks })
  const tool = new Tool(permission)
  const play = new Play()
  const paint = new Paint(play)
  const refusals = new Refusals(connection, notices)
  const keeper = viewOnly ? null : new Keeper({ room, connection, shown, notices }, release)
  selection.on('change', (ids) => presence.setSelection(ids))
  me.on('change', wear)
  me.on('chosen', (chosen) => rememberIdentity({ ...chosen, isChosen: true }))
  if (!me.isColorChosen) keepDistinct({ connection, presence, ownTabs, me })

  // The drawing.

  const stage = elementById('stage')
  const palette = new Palette()
  const view = new View()
  const scene = new Scene(shown, presence, frames)
  const marks = new Marks()
  const regions = new Regions({ shown, scene, marks, selection, frames })
  const handles = new Handles({ selection, scene, view, permission, locks })
  measureStage(view, stage)
  const painter = new Painter(canvasIn(stage, 'drawing'), { scene, regions, view, palette, frames })
  const overlay = new Overlay(
    canvasIn(stage, 'overlay'), { shown, view, scene, selection, presence, handles, palette, frames })
  const tellView = () => presence.setView(view.visibleBox())
  view.on('change', tellView)
  tellView()

  // The tools.

  const hand = new Hand(shown)
  const momentum = new Momentum({ shown, editing, view })
  new Removals({ room, connection, documents, shown, editing, momentum, notices, permission, presence, names, hand })
  const dialogs = parts.later(async () => dialog, (loaded) => loaded)
  const writing = new Writing(
    stage, { shown, editing, permission, selection, scene, view, frames, notices, locks, presence, tool }, names)
  new TextLosses({ connection, shown, editing, notices, names, presence, writing })
  const reach = {
    shown, editing, permission, selection, tool, paint, play, presence, notices, documents, frames, view, scene, overlay, handles,
    momentum, marks, hand, writing, groups, locks,
    hole: new Hole(elementById('hole'), stage, { editing, play, view }),
    lifting: new Lifting({ scene, presence }),
    consent: new Consent(presence, ownTabs, dialogs),
    clipboard: new Clipboard({ documents, editing, notices, selection, shown, view, momentum, locks }),
    shaking: new Shaking(),
    aligning: parts.later(
      () => bundle('/tools/align.js') as Promise<typeof import('../tools/align.js')>, (loaded) => loaded),
  }
  const tools = new Tools(stage, reach)
  const actionReach = { ...reach, tools }
  new Shortcuts(actionReach)
  // People who choose to draw start with a tool that draws.
  tool.choose('rectangle')

  // The furniture. Parts that are not visible at first are made later. Their code comes with the page's one script all
  // the same: importing it on demand would cost a kilobyte of wrappers, and save nothing.

  const noticeList = new NoticeList(notices)
  const files = parts.later(async () => Files, (Files) =>
    new Files({ room, core, documents, editing, momentum, notices, selection, shown, view }))
  const history = parts.later(async () => History, (History) => {
    const made = new History({
      room, core, documents, editing, notices, permission, presence, shown, names, me, consent: reach.consent,
    })
    document.body.append(made.element)
    return made
  })
  const shortcutList = parts.later(
    () => bundle('/furniture/shortcut-list.js') as Promise<typeof import('../furniture/shortcut-list.js')>,
    (loaded) => loaded)
  const link = new Link(room, notices, dialogs)
  const actions = roomActions(actionReach, { files, history, shortcutList, link })
  new Drop(permission, files)
  const layers = new Layers({ shown, editing, selection, permission, groups, locks, names, notices })
  const inspectorPlace = element('section', { class: 'inspector' })
  const inspector = parts.later(async () => Inspector, (Inspector) =>
    new Inspector({ shown, editing, selection, permission, locks, actions }, inspectorPlace))
  const overlaps = new Overlaps({ connection, shown, selection, marks, names, notices, view })
  const panel = new Panel([
    { name: 'layers', words: 'Layers', icon: 'layers', element: layers.element, onShow: () => layers.onShow() },
    {
      name: 'inspector', words: 'Inspector', icon: 'inspector', element: inspectorPlace,
      onShow: async () => (await inspector.get())?.onShow(),
    },
    { name: 'overlaps', words: 'Overlaps', icon: 'overlaps', element: overlaps.element, onShow: () => overlaps.onShow() },
  ])
  overlaps.on('count', (count) => panel.setCount('overlaps', count))
  overlaps.on('opened', () => panel.show('overlaps'))
  const people = new People(me, presence, ownTabs, parts.later(async () => Follow, (Follow) =>
    new Follow({ presence, view, notices })))
  const states = new States({ connection, shown, permission, play, refusals, actions })
  elementById('opening').remove()
  // The field is put here so that the Tab key moves from it to the bars.
  stage.after(writing.element)
  const showPermission = () => document.body.classList.toggle('is-viewer', permission.isViewOnly)
  permission.on('change', showPermission)
  showPermission()
  showHole(elementById('hole'), play, actions.blackHole)
  document.body.append(
    element('div', { class: 'bars' },
      roomBar(room, new Status(connection, pulse, permission, keeper), menuEntries(actions, reach.shaking)),
      peopleBar({ view, people, panel, actions })),
    // The Tab key comes from the drawing to the bars, and only then to the black hole.
    elementById('hole'),
    panel.element,
    ...states.elements,
    noticeList.element,
    new SelectionBar({ shown, editing, selection, permission, play, view, handles, frames, tools, writing, groups, locks }, actions).element,
    new Toolbar({ tool, paint, permission, play, shown, connection, actions }).element,
  )
  const contextMenu = parts.later(async () => ContextMenu, (ContextMenu) =>
    new ContextMenu({ shown, selection, view, tools, groups, locks, actions }))
  document.addEventListener('contextmenu', async (event) => {
    // Holding a finger lifts a shape, so it must not open this menu. On a phone the menu at the top left has these
    // actions.
    if (event instanceof PointerEvent && event.pointerType === 'touch') return
    if (event.target !== document.body && !isWithin(event.target, '#stage, .layer, .waiting-field')) return
    event.preventDefault()
    const menu = await contextMenu.get()
    menu?.open(event)
  })
  document.addEventListener('keydown', (event) => {
    if (event.key !== '?' || event.defaultPrevented || isWithin(event.target, 'input, textarea, select, dialog')) return
    actions.shortcuts.run()
  })

  // After a first action the person may soon copy, add or save. The modules for that are loaded then, and not earlier,
  // so that they don't delay the start.

  const prepare = () => { for (const part of [documents, reach.aligning, shortcutList]) part.prepare() }
  const stopWaiting = selection.on('change', () => {
    stopWaiting()
    prepare()
  })
  for (const type of ['pointerdown', 'keydown', 'dragenter']) {
    addEventListener(type, prepare, { once: true, capture: true })
  }
  documents.on('ready', () => document.body.append(new Astray({ scene, shown, view }, actions).element))

  // Sends the edits that other tabs have left, and joins the room.

  if (!viewOnly) {
    watchTabs(connection, room, leftBehind > 0, async () =>
      new Couriers({ core, room, options, connection, permission, refusals, notices }))
  }
  welcome({ connection, shown, permission, notices, tool, view, me, people }, stage, identity)
  pulse.on('slow', () => notices.say('Your connection is slow. Others see your changes late, and you theirs.', { group: 'slow' }))
  frames.request()
  connection.start()
  watchFreshness({ connection, freshness, states })

  // The parts that the console and the tests use.
  Object.assign(globalThis, {
    canvasRoom: { ...actionReach, room, core, connection, me, painter, actions },
  })
}

/**
 * Loads what has a bundle of its own (scripts/page): few people ask for it, and it would be a part of each first visit.
 * The path is a value, so that the bundler leaves the import alone.
 */
const bundle = (path: string) => import(path)

/** Shows the person's own colour in the furniture. */
function wear({ color }: { color: string }) {
  document.documentElement.style.setProperty('--me', color)
}

function canvasIn(stage: HTMLElement, id: string) {
  const found = stage.querySelector(`#${id}`)
  if (!(found instanceof HTMLCanvasElement)) throw new Error(`the page has no canvas #${id}`)
  return found
}
