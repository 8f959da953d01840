import { type Child, element, icon } from '../elements/element.js'

/** A message in the middle of the canvas. */
export function card(picture: string, title: string, words: string, ...more: Child[]) {
  return element('div', { class: 'card floating' }, picture !== '' && icon(picture), element('h2', {}, title),
    words !== '' && element('p', { class: 'quiet' }, words), ...more)
}
