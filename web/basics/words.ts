// Functions that make parts of sentences.

/** Matches text that is written from right to left, and the invisible characters that set a direction. */
const turning = /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/

/**
 * A name for use inside a sentence. A right-to-left name is isolated, because it would otherwise reverse the words
 * around it.
 */
export function within(name: string) {
  return turning.test(name) ? `\u2068${name}\u2069` : name
}

/** A number with its noun: `3 shapes`, `1 shape`. */
export function counted(number: number, one: string, many: string = `${one}s`) {
  return `${number.toLocaleString()} ${number === 1 ? one : many}`
}

export const capitalised = (words: string) => words && words[0].toUpperCase() + words.slice(1)

/** Makes a message a sentence: with a capital letter and a full stop. */
export function sentence(words: string) {
  return words && capitalised(words) + (/[.!?…]$/.test(words) ? '' : '.')
}

/** A point in time, for use inside a sentence: `today, 12:19:03`. */
export function momentWords(milliseconds: number) {
  const moment = new Date(milliseconds)
  const time = moment.toLocaleTimeString(undefined, { timeStyle: 'medium' })
  if (moment.toDateString() === new Date().toDateString()) return `today, ${time}`
  return `${moment.toLocaleDateString(undefined, { dateStyle: 'medium' })}, ${time}`
}
