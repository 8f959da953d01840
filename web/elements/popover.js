import { element } from './element.js'

const gap = 8

/**
 * What opens beside a button and goes when one looks elsewhere. Escape closes it, and the button has the focus again.
 *
 * @param {HTMLElement} button
 * @param {HTMLElement} content
 * @param {{role?: string, label?: string, onOpen?: () => void}} [options]
 * @returns {{open: () => void, close: () => void, isOpen: () => boolean}}
 */
export function popover(button, content, { role = 'dialog', label, onOpen } = {}) {
  const box = element('div', { class: 'popover floating', popover: 'auto', role, 'aria-label': label }, content)
  button.setAttribute('aria-haspopup', role)
  button.setAttribute('aria-expanded', 'false')
  const isOpen = () => box.matches(':popover-open')
  const open = () => {
    onOpen?.()
    // Beside its button, so that it belongs to the same part of the page.
    if (!box.isConnected) button.after(box)
    box.showPopover()
    place(box, button)
    const first = box.querySelector('[autofocus], [role^="menuitem"], input, button')
    first?.focus({ preventScroll: true })
  }
  const close = () => box.hidePopover()
  // A click on the button closes the popover by itself, before the click is told.
  let wasOpen = false
  button.addEventListener('pointerdown', () => { wasOpen = isOpen() })
  button.addEventListener('click', () => {
    if (!wasOpen && !isOpen()) open()
    else if (isOpen()) close()
    wasOpen = false
  })
  box.addEventListener('toggle', ({ newState }) => {
    button.setAttribute('aria-expanded', String(newState === 'open'))
    if (newState === 'closed' && (box.contains(document.activeElement) || document.activeElement === document.body)) {
      button.focus({ preventScroll: true })
    }
  })
  box.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close()
    event.stopPropagation()
  })
  addEventListener('resize', () => { if (isOpen()) place(box, button) })
  return { open, close, isOpen }
}

/** Below the button where there is more room there, else above, and always inside the window; what is longer scrolls. */
function place(box, button) {
  const anchor = button.getBoundingClientRect()
  const isBelow = anchor.top + anchor.height / 2 < innerHeight / 2
  box.style.maxHeight = `${(isBelow ? innerHeight - anchor.bottom : anchor.top) - 2 * gap}px`
  const { width, height } = box.getBoundingClientRect()
  const left = Math.min(Math.max(gap, isLeft(anchor) ? anchor.left : anchor.right - width), innerWidth - width - gap)
  box.style.left = `${Math.max(gap, left)}px`
  box.style.top = `${Math.max(gap, isBelow ? anchor.bottom + gap : anchor.top - height - gap)}px`
}

const isLeft = (anchor) => anchor.left + anchor.width / 2 < innerWidth / 2

/**
 * A menu's entries, with arrow keys between them.
 *
 * @param {({words: string, key?: string, icon?: Node, danger?: boolean, run: () => void, isEnabled?: () => boolean,
 *   isChecked?: () => boolean} | null)[]} entries null draws a line
 * @returns {{content: HTMLElement, refresh: () => void}}
 */
export function menuOf(entries, close) {
  const content = element('div', { class: 'menu' })
  const items = []
  for (const entry of entries) {
    if (!entry) {
      content.append(element('hr', { role: 'separator' }))
      continue
    }
    const words = element('span', { class: 'grow' }, entry.words)
    const item = element('button', {
      type: 'button',
      role: entry.isChecked ? 'menuitemradio' : 'menuitem',
      tabindex: '-1',
      class: `menu-item${entry.danger ? ' danger' : ''}`,
      onclick: () => {
        if (item.getAttribute('aria-disabled') === 'true') return
        close()
        entry.run()
      },
    }, entry.icon ?? element('span', { class: 'icon' }), words, entry.key ? element('kbd', {}, entry.key) : null)
    items.push({ entry, item, words })
    content.append(item)
  }
  content.addEventListener('keydown', (event) => {
    const enabled = items.map(({ item }) => item)
    const at = enabled.indexOf(document.activeElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: enabled.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    enabled[(to + enabled.length) % enabled.length].focus()
  })
  const refresh = () => {
    for (const { entry, item, words } of items) {
      item.setAttribute('aria-disabled', String(entry.isEnabled ? !entry.isEnabled() : false))
      if (entry.isChecked) item.setAttribute('aria-checked', String(entry.isChecked()))
      if (typeof entry.words === 'function') words.textContent = entry.words()
    }
  }
  return { content, refresh }
}
