// Parts of sentences.

/** Matches text that is written from right to left, and the invisible characters that set a direction. */
const turning = /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/

/**
 * A name inside a sentence. A name that is read from right to left is isolated, so that it turns none of the words around it.
 *
 * @param {string} name
 */
export function within(name) {
  return turning.test(name) ? `\u2068${name}\u2069` : name
}

/**
 * `3 shapes`, `1 shape`.
 *
 * @param {number} number @param {string} one @param {string} [many]
 */
export function counted(number, one, many = `${one}s`) {
  return `${number.toLocaleString()} ${number === 1 ? one : many}`
}

/**
 * A message as a sentence: with a capital letter and a full stop.
 *
 * @param {string} words
 */
export function sentence(words) {
  return words && words[0].toUpperCase() + words.slice(1) + (/[.!?…]$/.test(words) ? '' : '.')
}
