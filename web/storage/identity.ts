// The name and colour that others see, stored in this browser. The page chooses both at first, so that people can draw
// at once.

import { personColors } from '../basics/person-colors.js'
import { hiddenCharacters } from '../core/table.js'

const key = 'canvas.me'

const adjectives = ['Quiet', 'Bright', 'Swift', 'Kind', 'Merry', 'Calm', 'Clever', 'Gentle', 'Bold', 'Lucky']
const animals = ['Heron', 'Otter', 'Fox', 'Wren', 'Lynx', 'Hare', 'Owl', 'Seal', 'Finch', 'Badger']

const pick = <T>(list: T[]): T => list[Math.floor(Math.random() * list.length)]

/**
 * `isChosen`: the person has chosen the name. `isColorChosen`: the person has chosen the colour. `isTold`: the person
 * knows the name that the page has chosen.
 */
export type Identity = { name: string, color: string, isChosen: boolean, isColorChosen: boolean, isTold?: boolean }

export function rememberedIdentity(): Identity {
  try {
    const { name, color, isChosen, isColorChosen, isTold } = JSON.parse(localStorage.getItem(key) ?? '')
    if (typeof name === 'string' && isName(name) && /^#[0-9A-Fa-f]{6}$/.test(color)) {
      return { name, color, isChosen: isChosen === true, isColorChosen: isColorChosen === true, isTold: isTold === true }
    }
  } catch {
    // Nothing is stored, or another program has written the value.
  }
  const identity = { name: `${pick(adjectives)} ${pick(animals)}`, color: pick(personColors), isChosen: false, isColorChosen: false }
  rememberIdentity(identity)
  return identity
}

export function rememberIdentity(identity: Identity) {
  try {
    localStorage.setItem(key, JSON.stringify(identity))
  } catch {
    // The identity can't be stored, so it lasts until the page is closed.
  }
}

/** Whether the server accepts this text as a name. */
export function isName(name: string) {
  if (name.trim() === '') return false
  return new TextEncoder().encode(name).length <= 128 && !/[\u0000-\u001f\u007f-\u009f]/.test(name)
    && !hiddenCharacters.test(name)
}

/** @returns one or two letters */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/)
  const first = (word: string) => [...letters(word)][0] ?? ''
  const begun = first(words[0])
  // An emoji is as wide as two letters, so there is no second initial beside it.
  return (begun + (words.length > 1 && !/\p{Emoji_Presentation}/u.test(begun) ? first(words[words.length - 1]) : '')).toUpperCase()
}

/** The characters of a word, as people see them: the emoji of a flag or a family consists of several code points. */
function* letters(word: string): Iterable<string> {
  // Without a segmenter, each code point counts as a character.
  if (!('Segmenter' in Intl)) yield* word
  else for (const { segment } of new Intl.Segmenter().segment(word)) yield segment
}
