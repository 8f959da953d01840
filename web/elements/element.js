// Makes elements. Text is inserted as text: nothing here parses markup.

/** @typedef {string | number | boolean | null | undefined | ((event: never) => unknown)} Attribute */

/**
 * The values of attributes: a function becomes a listener (`onclick`), true becomes an empty attribute; null, undefined
 * and false are left out.
 *
 * @typedef {{[name: string]: Attribute, onclick?: (event: MouseEvent) => unknown,
 *   onkeydown?: (event: KeyboardEvent) => unknown, onpointerdown?: (event: PointerEvent) => unknown,
 *   onsubmit?: (event: SubmitEvent) => unknown}} Attributes
 */

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name)
  setAttributes(made, attributes)
  for (const child of children.flat()) if (child !== null && child !== undefined && child !== false) made.append(child)
  return made
}

/** @param {Element} target @param {Attributes} attributes */
export function setAttributes(target, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') target.addEventListener(key.slice(2), /** @type {EventListener} */ (value))
    else if (value === true) target.setAttribute(key, '')
    else if (value === null || value === undefined || value === false) target.removeAttribute(key)
    else target.setAttribute(key, String(value))
  }
}

/**
 * The element with this identifier in the page's own HTML.
 *
 * @param {string} id @returns {HTMLElement}
 */
export function elementById(id) {
  const found = document.getElementById(id)
  if (!found) throw new Error(`the page has no #${id}`)
  return found
}

/**
 * Whether an event or the focus is in an element that matches the selector.
 *
 * @param {EventTarget | null} target @param {string} selector
 */
export function isWithin(target, selector) {
  return target instanceof Element && target.closest(selector) !== null
}

const svg = 'http://www.w3.org/2000/svg'

/**
 * An icon from icons.svg.
 *
 * @param {string} name @returns {SVGElement}
 */
export function icon(name) {
  const picture = document.createElementNS(svg, 'svg')
  setAttributes(picture, { class: 'icon', viewBox: '0 0 20 20', 'aria-hidden': 'true', focusable: 'false' })
  const use = document.createElementNS(svg, 'use')
  use.setAttribute('href', `/icons.svg#${name}`)
  picture.append(use)
  return picture
}

/**
 * Changes which icon an element shows.
 *
 * @param {Element} holder @param {string} name
 */
export function setIcon(holder, name) {
  holder.querySelector('use')?.setAttribute('href', `/icons.svg#${name}`)
}

/**
 * A button that shows only an icon. The label is its tooltip, and what screen readers read.
 *
 * @param {string} name @param {string} label @param {Attributes} [attributes]
 */
export function iconButton(name, label, attributes = {}) {
  const { class: classes = 'plain', ...rest } = attributes
  return element('button', {
    type: 'button', class: `button icon-only ${classes}`, 'aria-label': label, title: label, ...rest,
  }, icon(name))
}

/**
 * Whether a key press belongs to an input method, such as the Enter that confirms a suggestion. Safari shows this only
 * by the key's number.
 *
 * @param {KeyboardEvent} event
 */
export const isComposed = ({ isComposing, keyCode }) => isComposing || keyCode === 229

/** Whether the person uses a finger rather than a mouse. */
export const hasFingers = () => matchMedia('(pointer: coarse)').matches
