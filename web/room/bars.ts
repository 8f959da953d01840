import { peopleBar, roomBar } from '../bars/bar.js'
import { showHole } from '../bars/hole-button.js'
import { menuEntries } from '../bars/menu.js'
import { NoticeList } from '../bars/notice-list.js'
import { States } from '../bars/states.js'
import type { Status } from '../bars/status.js'
import { Toolbar } from '../bars/toolbar.js'
import { element, elementById, isWithin } from '../elements/element.js'
import { People } from '../others/people.js'
import type { Doables } from '../tools/actions.js'
import { keyNames } from '../tools/shortcuts.js'
import { makeActions } from './actions.js'
import { bundle } from './bundle.js'
import type { Hands } from './hands.js'
import { laterBox } from './later-box.js'
import { makePanel } from './panels.js'

/** Makes and shows everything that floats over the canvas. */
export function makeBars(stage: HTMLElement, hands: Hands, status: Status) {
  const { room, documents, me, notices, ownTabs, parts, permission, play, presence, selection, shaking, view, writing } = hands
  const noticeList = new NoticeList(notices)
  const follow = parts.later(() => bundle('/others/follow.js') as Promise<typeof import('../others/follow.js')>, ({ Follow }) => {
    const made = new Follow(hands)
    made.on('change', (actor) => people.showFollowed(actor))
    return made
  })
  const guiding = parts.later(
    () => bundle('/others/guiding.js') as Promise<typeof import('../others/guiding.js')>, async ({ Guiding }) => {
      const following = await follow.get()
      return following && new Guiding({ ...hands, follow: following })
    })
  presence.on('change', () => { if (presence.people().some(({ guides }) => guides)) guiding.prepare() })
  const actions = makeActions(hands, guiding)
  const equipped = { ...hands, actions }
  const panel = makePanel(hands, actions)
  const people = new People(me, presence, ownTabs, follow)
  const cards = parts.later(
    () => bundle('/bars/outside-cards.js') as Promise<typeof import('../bars/outside-cards.js')>,
    ({ outsideCard }) => (kind: string, code?: string) => outsideCard(kind, code, { ...equipped, askForName: ownBox.open }))
  // A page whose server is of a newer version by then can't load them any more.
  documents.on('ready', () => cards.prepare())
  const states = new States({ ...equipped, cards })
  const toolbar = new Toolbar(equipped)
  elementById('opening').remove()
  // The element's place decides the order of the Tab key: from the text field to the bars.
  stage.after(writing.element)
  const showPermission = () => document.body.classList.toggle('is-viewer', permission.isViewOnly)
  permission.on('change', showPermission)
  showPermission()
  elementById('read').addEventListener('click', () => actions.read.run())
  showHole(elementById('hole'), play, actions.blackHole)
  document.body.append(
    element('div', { class: 'bars' },
      roomBar(room, status, menuEntries(actions, shaking)), peopleBar({ view, people, panel, actions })),
    // This element comes after the bars, because the Tab key follows the order of the elements.
    elementById('hole'),
    panel.element,
    ...states.elements,
    noticeList.element,
    toolbar.element,
  )
  const selectionBar = parts.later(
    () => bundle('/bars/selection-bar.js') as Promise<typeof import('../bars/selection-bar.js')>,
    ({ SelectionBar }) => { toolbar.element.before(new SelectionBar(hands, actions).element) })
  selection.on('change', () => selectionBar.prepare())
  const styleBox = laterBox(
    parts, toolbar.styleButton, () => bundle('/bars/style-box.js') as Promise<typeof import('../bars/style-box.js')>,
    ({ makeStyleBox }) => makeStyleBox(toolbar.styleButton, hands))
  const ownBox = laterBox(
    parts, people.ownButton, () => bundle('/others/own-box.js') as Promise<typeof import('../others/own-box.js')>,
    ({ makeOwnBox }) => makeOwnBox(people.ownButton, me))
  const everyoneBox = laterBox(
    parts, people.everyoneButton, () => bundle('/others/everyone-box.js') as Promise<typeof import('../others/everyone-box.js')>,
    ({ makeEveryoneBox }) => makeEveryoneBox(people.everyoneButton, { me, people, presence, guide: actions.guide }))
  documents.on('ready', () => { for (const part of [selectionBar, styleBox, ownBox, everyoneBox]) part.prepare() })
  openMenus(equipped)
  const astray = parts.later(
    () => bundle('/find/astray.js') as Promise<typeof import('../find/astray.js')>,
    ({ Astray }) => document.body.append(new Astray(hands, actions).element))
  documents.on('ready', () => astray.prepare())
  return { actions, states, askForName: ownBox.open }
}

/** The actions that open a box, by their keys. */
const boxes: Record<string, string | undefined> = { 'mod+f': 'find', 'alt+r': 'read' }

/** Opens the context menu, and by their keys the search, the list of shapes and the list of shortcuts. */
function openMenus(hands: Hands & { actions: Doables }) {
  const contextMenu = hands.parts.later(
    () => bundle('/bars/context-menu.js') as Promise<typeof import('../bars/context-menu.js')>,
    ({ ContextMenu }) => new ContextMenu(hands))
  hands.documents.on('ready', () => contextMenu.prepare())
  document.addEventListener('contextmenu', async (event) => {
    // A long press of a finger lifts a shape, so it must not open this menu. The menu at the top left has the same
    // actions.
    if (event instanceof PointerEvent && event.pointerType === 'touch') return
    if (event.target !== document.body && !isWithin(event.target, '#stage, .layer, .waiting-field')) return
    event.preventDefault()
    const menu = await contextMenu.get()
    menu?.open(event)
  })
  document.addEventListener('keydown', (event) => {
    if (event.key !== '?' || event.defaultPrevented || isWithin(event.target, 'input, textarea, select, dialog')) return
    hands.actions.shortcuts.run()
  })
  // In the capture phase, because fields keep their keys to themselves.
  document.addEventListener('keydown', (event) => {
    if (isWithin(event.target, 'dialog')) return
    const opened = keyNames(event).flatMap((name) => boxes[name] ?? [])[0]
    // With Alt a Mac types other characters.
    if (!opened || (event.altKey && isWithin(event.target, 'input, .writing-field'))) return
    event.preventDefault()
    hands.actions[opened].run()
  }, { capture: true })
}
