// The name and colour that others see, stored in this browser. The page chooses both at first, so that nobody has to
// choose before drawing.

import { personColors } from '../basics/person-colors.js'
import { hiddenCharacters } from '../core/table.js'

const key = 'canvas.me'

const adjectives = ['Quiet', 'Bright', 'Swift', 'Kind', 'Merry', 'Calm', 'Clever', 'Gentle', 'Bold', 'Lucky']
const animals = ['Heron', 'Otter', 'Fox', 'Wren', 'Lynx', 'Hare', 'Owl', 'Seal', 'Finch', 'Badger']

const pick = <T>(list: T[]): T => list[Math.floor(Math.random() * list.length)]

/**
 * `isChosen`: the person has chosen the name; `isColorChosen`: the person has chosen the colour; `isTold`: the person
 * has been told which name the page has given them.
 */
export type Identity = { name: string, color: string, isChosen: boolean, isColorChosen: boolean, isTold?: boolean }

export function rememberedIdentity(): Identity {
  try {
    const { name, color, isChosen, isColorChosen, isTold } = JSON.parse(localStorage.getItem(key) ?? '')
    if (typeof name === 'string' && isName(name) && /^#[0-9A-Fa-f]{6}$/.test(color)) {
      return { name, color, isChosen: isChosen === true, isColorChosen: isColorChosen === true, isTold: isTold === true }
    }
  } catch {
    // Either no identity was stored, or another program has written the value.
  }
  const identity = { name: `${pick(adjectives)} ${pick(animals)}`, color: pick(personColors), isChosen: false, isColorChosen: false }
  rememberIdentity(identity)
  return identity
}

export function rememberIdentity(identity: Identity) {
  try {
    localStorage.setItem(key, JSON.stringify(identity))
  } catch {
    // If the browser can't store the identity, the person can still draw.
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
  // The second initial is left out beside an emoji, which is as wide as two letters.
  return (begun + (words.length > 1 && !/\p{Emoji_Presentation}/u.test(begun) ? first(words[words.length - 1]) : '')).toUpperCase()
}

/**
 * The letters of a word, as people count them: the emoji of a flag has two code points, the emoji of a family several.
 */
function* letters(word: string): Iterable<string> {
  // If the browser has no segmenter, each code point counts as a character.
  if (!('Segmenter' in Intl)) yield* word
  else for (const { segment } of new Intl.Segmenter().segment(word)) yield segment
}
