import { element, isWithin } from './element.js'

const gap = 8

/**
 * A box that opens beside a button. It closes when the person clicks anywhere else, and then leaves the focus alone.
 * Escape closes it too, and moves the focus back to the button. So does Tab in a menu, which then goes on from the
 * button.
 *
 * @param how `spared`: a part of the window that the box shall not cover, if there is room elsewhere
 */
export function popover(
  button: HTMLElement, content: HTMLElement,
  { role = 'dialog', label, onOpen, spared }: {
    role?: string, label?: string, onOpen?: () => void, spared?: () => DOMRect | null,
  } = {},
): { open: () => void, close: () => void, isOpen: () => boolean } {
  // The box itself can take the focus. So a click between its buttons keeps the focus inside it, and its keys go on
  // working.
  // Tab doesn't reach a menu's entries. So that a long menu can be scrolled by keys, Tab reaches the menu itself.
  const isMenu = role === 'menu'
  const box = element('div', {
    class: 'popover floating', popover: 'auto', role, tabindex: isMenu ? '0' : '-1', 'aria-label': label,
  }, content)
  button.setAttribute('aria-haspopup', role)
  button.setAttribute('aria-expanded', 'false')
  const isOpen = () => box.matches(':popover-open')
  const open = () => {
    onOpen?.()
    // The box is inserted after its button, so that both are in the same part of the page.
    if (!box.isConnected) button.after(box)
    box.showPopover()
    follow()
    // Only visible elements can take the focus. If the focus were not in the box, the page would get the Escape key
    // instead of the box.
    const first = [...box.querySelectorAll('[autofocus], [role^="menuitem"], input, button')].find((each) => each.getClientRects().length > 0)
    if (first instanceof HTMLElement) first.focus({ preventScroll: true })
    else box.focus({ preventScroll: true })
  }
  const close = () => {
    const hadFocus = box.contains(document.activeElement)
    box.hidePopover()
    if (hadFocus) button.focus({ preventScroll: true })
  }
  const follow = () => place(box, button, spared?.())
  // Whether the box was open before the click on its button. It can't be read in the click event, because the browser
  // has closed the box by then.
  let wasOpen = false
  button.addEventListener('pointerdown', () => { wasOpen = isOpen() })
  button.addEventListener('click', () => {
    if (!wasOpen && !isOpen()) open()
    else if (isOpen()) close()
    wasOpen = false
  })
  box.addEventListener('toggle', () => {
    button.setAttribute('aria-expanded', String(isOpen()))
    if (isOpen()) addEventListener('resize', follow)
    else removeEventListener('resize', follow)
  })
  // The box may cover what the Tab key goes on to.
  box.addEventListener('focusout', ({ relatedTarget: to }) => {
    if (to instanceof Node && to !== button && !box.contains(to)) box.hidePopover()
  })
  box.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' || (isMenu && event.key === 'Tab')) close()
    // Key presses in the box are kept from the page, except those with Control or Command. So a person can undo a
    // choice while the box is still open.
    if (!event.ctrlKey && !event.metaKey) event.stopPropagation()
  })
  return { open, close, isOpen }
}

/**
 * Puts the box below or above the button, wherever there is more space, and always inside the window. If it would cover
 * what is to be spared, it goes where it covers least. Content that is too long scrolls.
 */
function place(box: HTMLElement, button: HTMLElement, spared: DOMRect | null = null) {
  const anchor = button.getBoundingClientRect()
  const isBelow = anchor.top + anchor.height / 2 < innerHeight / 2
  box.style.maxHeight = `${(isBelow ? innerHeight - anchor.bottom : anchor.top) - 2 * gap}px`
  const { width, height } = box.getBoundingClientRect()
  const left = isLeft(anchor) ? anchor.left : anchor.right - width
  const [above, below] = [anchor.top - height - gap, anchor.bottom + gap]
  const tops = isBelow ? [below, above] : [above, below]
  const places = [...tops.map((top) => ({ left, top })), ...spared ? [
    { left: spared.x + spared.width + gap, top: tops[0] }, { left: spared.x - width - gap, top: tops[0] },
    { left, top: spared.y + spared.height + gap },
  ] : []].map((each) => ({
    left: Math.max(gap, Math.min(each.left, innerWidth - width - gap)), top: Math.max(gap, Math.min(each.top, innerHeight - height - gap)),
  }))
  const covered = ({ left, top }: { left: number, top: number }) => [spared, anchor].reduce((area, other) => area + (other
    ? Math.max(0, Math.min(left + width, other.x + other.width) - Math.max(left, other.x))
      * Math.max(0, Math.min(top + height, other.y + other.height) - Math.max(top, other.y)) : 0), 0)
  const best = places.reduce((best, each) => (covered(each) < covered(best) ? each : best))
  box.style.left = `${best.left}px`
  box.style.top = `${best.top}px`
}

const isLeft = (anchor: DOMRect) => anchor.left + anchor.width / 2 < innerWidth / 2

export interface MenuEntry {
  words: string
  /** What a person should know before they choose the entry. */
  hint?: string
  key?: string
  icon?: Node
  danger?: boolean
  run: () => unknown
  isEnabled?: () => boolean
  isChecked?: () => boolean
  /** Whether the entry is shown. Without this function, it is always shown. */
  isShown?: () => boolean
  /** Whether the entry is a checkbox, rather than one of several alternatives. */
  isToggle?: boolean
}

/**
 * A menu. The arrow keys move the focus between its entries.
 *
 * @param entries null stands for a separator line
 */
export function menuOf(
  entries: (MenuEntry | null)[], close: () => void,
): { content: HTMLElement, refresh: () => void } {
  const content = element('div', { class: 'menu' })
  // A click on a separator must not move the focus, so that the arrow keys go on working.
  content.addEventListener('mousedown', (event) => { if (!isWithin(event.target, 'button')) event.preventDefault() })
  const items: { entry: MenuEntry, item: HTMLButtonElement }[] = []
  for (const entry of entries) {
    if (!entry) {
      content.append(element('hr', { role: 'separator' }))
      continue
    }
    const item = element('button', {
      type: 'button',
      role: entry.isChecked ? (entry.isToggle ? 'menuitemcheckbox' : 'menuitemradio') : 'menuitem',
      tabindex: '-1',
      class: `menu-item${entry.danger ? ' danger' : ''}`,
      onclick: () => {
        if (item.getAttribute('aria-disabled') === 'true') return
        close()
        entry.run()
      },
    }, entry.icon ?? element('span', { class: 'icon' }), element('span', { class: 'grow' }, entry.words, entry.hint && element('span', { class: 'menu-hint small-text quiet' }, ` ${entry.hint}`)),
    entry.key ? element('kbd', {}, entry.key) : null)
    items.push({ entry, item })
    content.append(item)
  }
  content.addEventListener('keydown', (event) => {
    const shown = items.map(({ item }) => item).filter((item) => !item.hidden)
    const at = shown.findIndex((item) => item === document.activeElement)
    const to = new Map([['ArrowDown', at + 1], ['ArrowUp', at - 1], ['Home', 0], ['End', shown.length - 1]]).get(event.key)
    if (to === undefined) return
    event.preventDefault()
    shown[(to + shown.length) % shown.length].focus()
  })
  const refresh = () => {
    for (const { entry, item } of items) {
      item.hidden = !(entry.isShown?.() ?? true)
      item.setAttribute('aria-disabled', String(entry.isEnabled ? !entry.isEnabled() : false))
      if (entry.isChecked) item.setAttribute('aria-checked', String(entry.isChecked()))
    }
  }
  return { content, refresh }
}
