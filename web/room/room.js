import { loadCore } from '../core/core.js'
import { setStage } from '../drawing/stage.js'
import { Layers } from '../panels/layers.js'
import { Overlaps } from '../panels/overlaps.js'
import { Panel } from '../panels/panel.js'
import { Keeper, openReplica, watchTabs } from '../storage/keeper.js'
import { Tools } from '../tools/tools.js'
import { actionsOf, menuEntries } from '../furniture/menu.js'
import { readAddress } from '../network/address.js'
import { App } from '../state/app.js'
import { peopleBar, roomBar } from '../furniture/bar.js'
import { Drop } from '../furniture/drop.js'
import { element } from '../elements/element.js'
import { watchFreshness } from '../network/freshness.js'
import { rememberedIdentity, rememberIdentity } from '../storage/identity.js'
import { later } from '../state/later.js'
import { Notices } from '../furniture/notices.js'
import { People } from '../furniture/people.js'
import { tellRefusals } from '../furniture/refusals.js'
import { States } from '../furniture/states.js'
import { Status } from '../furniture/status.js'
import { Toolbar } from '../furniture/toolbar.js'
import { welcome } from '../furniture/welcome.js'

// The page of a room: what is made of which parts, in which order.

const { room, viewOnly, token } = readAddress()
// The server knows no such room either; only the page that the browser has kept opens at any address.
if (room === null) location.replace('/')
const me = rememberedIdentity()
const wear = ({ color }) => document.documentElement.style.setProperty('--me', color)
wear(me)
document.title = `${room} · CanvasSync`

const core = await loadCore(fetch('/core.wasm'))
const options = { name: me.name, color: me.color, readonly: viewOnly }
const { session, release, isLeftBehind } = await openReplica(core, room, options)
const app = new App({ core, session, room, token, viewOnly, me })
globalThis.canvasApp = app

const stage = document.getElementById('stage')
setStage(app, stage)
const tellView = () => app.presence.setView(app.view.visibleBox())
app.view.addEventListener('change', tellView)
tellView()
app.tools = new Tools(app, stage, document.getElementById('hole'))
// Who comes to draw finds a pencil in hand.
app.setTool('rectangle')
app.addEventListener('me', ({ detail: { name, color } }) => {
  rememberIdentity({ name, color, isChosen: true })
  wear({ color })
})

const notices = new Notices(app)
const exchange = later(app, () => import('../furniture/files.js'), ({ Files }) => new Files(app))
new Drop(app, exchange)
const history = later(app, () => import('../furniture/history.js'), ({ History }) => {
  const history = new History(app)
  document.body.append(history.element)
  return history
})
const actions = actionsOf(app, { exchange, history })
const layers = new Layers(app)
const inspectorPlace = element('section', { class: 'inspector' })
const inspector = later(app, () => import('../panels/inspector.js'),
  ({ Inspector }) => new Inspector(app, actions, inspectorPlace))
const overlaps = new Overlaps(app)
const panel = new Panel([
  { name: 'layers', words: 'Layers', icon: 'layers', element: layers.element, onShow: () => layers.onShow() },
  {
    name: 'inspector', words: 'Inspector', icon: 'inspector', element: inspectorPlace,
    onShow: async () => (await inspector())?.onShow(),
  },
  { name: 'overlaps', words: 'Overlaps', icon: 'overlaps', element: overlaps.element, onShow: () => overlaps.onShow() },
])
overlaps.attach(panel)
const people = new People(app, later(app, () => import('../furniture/follow.js'), ({ Follow }) => new Follow(app)))
const states = new States(app, actions)
document.body.append(
  element('div', { class: 'bars' },
    roomBar(app, new Status(app), menuEntries(app, actions)), peopleBar(app, people, panel, actions)),
  panel.element,
  ...states.elements,
  notices.element,
  new Toolbar(app, actions).element,
)
const context = later(app, () => import('../furniture/context-menu.js'), ({ ContextMenu }) => new ContextMenu(app, actions))
// Fingers hold to lift, and have the menu at the top left.
document.addEventListener('contextmenu', async (event) => {
  const { target, pointerType } = event
  if (pointerType === 'touch' || (target !== document.body && !target.closest('#stage, .layer'))) return
  event.preventDefault()
  const menu = await context()
  menu?.open(event)
})
document.addEventListener('keydown', (event) => {
  if (event.key !== '?' || event.defaultPrevented || event.target.closest('input, textarea, select, dialog')) return
  actions.shortcuts.run()
})

// Somebody does something here: what is wanted later is fetched too, so that it is there without a wait or a network.
app.addEventListener('exchange', () => {
  const parts = [
    import('../furniture/history.js'), import('../furniture/files.js'), import('../furniture/shortcut-list.js'), import('../panels/inspector.js'),
    import('../tools/align.js'),
  ]
  for (const part of parts) part.catch(() => {})
  import('../furniture/astray.js').then(({ Astray }) => document.body.append(new Astray(app, actions).element), () => {})
})

tellRefusals(app)
if (!viewOnly) {
  new Keeper(app, release)
  watchTabs(app, isLeftBehind, async () => new (await import('../storage/couriers.js')).Couriers(app, options))
}
welcome(app, me, people)
app.start()
watchFreshness(app, states)
