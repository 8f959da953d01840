// Making elements. Text stays text: nothing here reads markup.

/**
 * @param {string} name
 * @param {Record<string, unknown>} [attributes] a function is a listener (`onclick`), true an empty attribute, null,
 *   undefined and false none
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {HTMLElement}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name)
  setAttributes(made, attributes)
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false))
  return made
}

/** @param {Element} target @param {Record<string, unknown>} attributes */
export function setAttributes(target, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') target.addEventListener(key.slice(2), value)
    else if (value === true) target.setAttribute(key, '')
    else if (value === null || value === undefined || value === false) target.removeAttribute(key)
    else target.setAttribute(key, String(value))
  }
}

const svg = 'http://www.w3.org/2000/svg'

/** One of the icons in icons.svg. @param {string} name @returns {SVGElement} */
export function icon(name) {
  const picture = document.createElementNS(svg, 'svg')
  setAttributes(picture, { class: 'icon', viewBox: '0 0 20 20', 'aria-hidden': 'true', focusable: 'false' })
  const use = document.createElementNS(svg, 'use')
  use.setAttribute('href', `/icons.svg#${name}`)
  picture.append(use)
  return picture
}

/** Changes which icon is shown. @param {Element} holder @param {string} name */
export function setIcon(holder, name) {
  holder.querySelector('use').setAttribute('href', `/icons.svg#${name}`)
}

/** A button that shows only an icon; its words are told on hover and to who can't see. @param {string} name @param {string} label */
export function iconButton(name, label, attributes = {}) {
  const { class: classes = 'plain', ...rest } = attributes
  return element('button', {
    type: 'button', class: `button icon-only ${classes}`, 'aria-label': label, title: label, ...rest,
  }, icon(name))
}

/** What is written from right to left, or tells what follows to be. */
const turning = /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/

/** A name as a part of a sentence, which it turns nothing of but itself. @param {string} name @returns {string} */
export function within(name) {
  return turning.test(name) ? `\u2068${name}\u2069` : name
}

/** `3 shapes` @param {number} number @param {string} one @param {string} [many] */
export function counted(number, one, many = `${one}s`) {
  return `${number.toLocaleString()} ${number === 1 ? one : many}`
}
