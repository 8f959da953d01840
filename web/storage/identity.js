// Who one is: a name and a colour, remembered in this browser. Nobody has to say who they are before they draw.

const key = 'canvas.me'

/** Dark enough for white initials, and apart from each other and from the orange of overlaps. */
export const personColors = [
  '#B42318', '#BE185D', '#86198F', '#6D28D9', '#4338CA', '#1D4ED8', '#0369A1', '#0F766E', '#15803D', '#4D7C0F',
]

const adjectives = ['Quiet', 'Bright', 'Swift', 'Kind', 'Merry', 'Calm', 'Clever', 'Gentle', 'Bold', 'Lucky']
const animals = ['Heron', 'Otter', 'Fox', 'Wren', 'Lynx', 'Hare', 'Owl', 'Seal', 'Finch', 'Badger']

const pick = (list) => list[Math.floor(Math.random() * list.length)]

/** @returns {{name: string, color: string, isChosen: boolean}} */
export function rememberedIdentity() {
  try {
    const { name, color, isChosen } = JSON.parse(localStorage.getItem(key))
    if (isName(name) && /^#[0-9A-Fa-f]{6}$/.test(color)) return { name, color, isChosen: isChosen === true }
  } catch {
    // Nothing was remembered, or not by us.
  }
  const identity = { name: `${pick(adjectives)} ${pick(animals)}`, color: pick(personColors), isChosen: false }
  rememberIdentity(identity)
  return identity
}

/** @param {{name: string, color: string, isChosen: boolean}} identity */
export function rememberIdentity(identity) {
  try {
    localStorage.setItem(key, JSON.stringify(identity))
  } catch {
    // A browser that keeps nothing still draws.
  }
}

/** What the wire takes as a name. @param {unknown} name */
export function isName(name) {
  if (typeof name !== 'string' || name.trim() === '') return false
  return new TextEncoder().encode(name).length <= 128 && !/[\u0000-\u001f\u007f-\u009f]/.test(name)
}

/** @param {string} name @returns {string} one or two letters */
export function initials(name) {
  const words = name.trim().split(/\s+/)
  const first = (word) => letters(word).next().value ?? ''
  const begun = first(words[0])
  // A picture is as wide as two letters.
  return (begun + (words.length > 1 && !/\p{Emoji_Presentation}/u.test(begun) ? first(words.at(-1)) : '')).toUpperCase()
}

/** What one sees as one: a flag is two characters, a family a handful. @param {string} word */
function* letters(word) {
  // Browsers that can't tell have whole characters.
  if (!('Segmenter' in Intl)) yield* word
  else for (const { segment } of new Intl.Segmenter().segment(word)) yield segment
}

/** Black or white, whichever is read better on a colour. @param {string} color */
export function inkOn(color) {
  const channel = (at) => {
    const value = parseInt(color.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5) > 0.179 ? '#000000' : '#FFFFFF'
}
