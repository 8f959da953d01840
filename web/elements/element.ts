// Makes elements. Text is inserted as text: nothing here parses markup.

type Attribute = string | number | boolean | null | undefined | ((event: never) => unknown)

/**
 * Attribute values. A function becomes a listener (`onclick`). True becomes an empty attribute. Null, undefined and
 * false are left out.
 */
type Attributes = {
  [name: string]: Attribute, onclick?: (event: MouseEvent) => unknown, onkeydown?: (event: KeyboardEvent) => unknown,
  onpointerdown?: (event: PointerEvent) => unknown, onsubmit?: (event: SubmitEvent) => unknown,
}

export type Child = Node | string | null | undefined | false

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name, attributes: Attributes = {}, ...children: (Child | Child[])[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  setAttributes(made, attributes)
  for (const child of children.flat()) if (child !== null && child !== undefined && child !== false) made.append(child)
  return made
}

export function setAttributes(target: Element, attributes: Attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') target.addEventListener(key.slice(2), value as EventListener)
    else if (value === true) target.setAttribute(key, '')
    else if (value === null || value === undefined || value === false) target.removeAttribute(key)
    else target.setAttribute(key, String(value))
  }
}

/** The element with this `id`, which must exist in the page's HTML. */
export function elementById(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (!found) throw new Error(`the page has no #${id}`)
  return found
}

/** Whether an event's target or the focused element is inside an element that matches the selector. */
export function isWithin(target: EventTarget | null, selector: string) {
  return target instanceof Element && target.closest(selector) !== null
}

const svg = 'http://www.w3.org/2000/svg'

/** An icon from icons.svg. */
export function icon(name: string): SVGElement {
  const picture = document.createElementNS(svg, 'svg')
  setAttributes(picture, { class: 'icon', viewBox: '0 0 20 20', 'aria-hidden': 'true', focusable: 'false' })
  const use = document.createElementNS(svg, 'use')
  use.setAttribute('href', `/icons.svg#${name}`)
  picture.append(use)
  return picture
}

/** Changes which icon an element shows. */
export function setIcon(holder: Element, name: string) {
  holder.querySelector('use')?.setAttribute('href', `/icons.svg#${name}`)
}

/** A button that shows only an icon. The label becomes the tooltip, and is what screen readers read. */
export function iconButton(name: string, label: string, attributes: Attributes = {}) {
  const { class: classes = 'plain', ...rest } = attributes
  return element('button', {
    type: 'button', class: `button icon-only ${classes}`, 'aria-label': label, title: label, ...rest,
  }, icon(name))
}

/**
 * Whether a key press belongs to an input method, such as the Enter that confirms a suggestion. Safari shows this only
 * by the key's number.
 */
export const isComposed = ({ isComposing, keyCode }: KeyboardEvent) => isComposing || keyCode === 229

/** Whether the main pointer is a finger and not a mouse. */
export const hasFingers = () => matchMedia('(pointer: coarse)').matches

/** Whether a key that is pressed on a slider moves or leaves it. Plain keys that don't are the page's. */
export const isOfSlider = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) =>
  ctrlKey || metaKey || altKey || /^(Arrow|Page|Home|End|Tab|Escape|Enter| )/.test(key)
