import { hiddenCharacters } from '../core/table.js'
import { isRoomName, nameMark } from './address.js'

// A room's name has only letters from A to Z, digits, dots, hyphens and underscores, because it is a part of addresses.
// A name with other characters is written in these, so that the page can show it as it was typed. `Q3 roadmap` becomes
// `Q3_roadmap..0`, and `Sprint Überblick` becomes `Sprint_berblick..fqc`: first everything that a room's name may have,
// with underscores in place of spaces; after the mark, which other characters stand where, as in Punycode (RFC 3492).

/** What follows the mark if no other characters are left. No sequence of other characters is written like this. */
const nothing = '0'

const plain = /^[A-Za-z0-9._-]$/
const controls = /[\u0000-\u001f\u007f-\u009f]/

/** The name that a person means, without superfluous spaces. */
const tidied = (typed: string) => typed.normalize('NFC').trim().replace(/\s+/g, ' ')

/**
 * The name of a room by which the server knows it.
 *
 * @param typed the name as people read it
 * @returns null if there is no such name, because it is too long, empty, or has invisible characters
 */
export function serverName(typed: string): string | null {
  const name = tidied(typed)
  if (isRoomName(name) && shownName(name) === name) return name
  if (name === '' || !isReadable(name)) return null
  const written = encoded(name)
  return isRoomName(written) ? written : null
}

/** Whether a name has no character that can't be seen. */
export const isReadable = (typed: string) => !controls.test(tidied(typed)) && !hiddenCharacters.test(tidied(typed))

/** A room's name as people read it. */
export function shownName(room: string): string {
  const at = room.lastIndexOf(nameMark)
  if (at < 0) return room
  const name = decoded(room.slice(0, at), room.slice(at + nameMark.length))
  // Other rooms may happen to have the mark in their names.
  return name !== null && serverName(name) === room ? name : room
}

/** Spaces become underscores, and underscores become spaces. */
const exchanged = (text: string) => text.replace(/[ _]/g, (character) => (character === ' ' ? '_' : ' '))

// Bootstring, the algorithm of RFC 3492, with its parameters for Punycode. It begins at the space instead of at U+0080,
// because some characters before that are no part of names either.

const digits = 'abcdefghijklmnopqrstuvwxyz0123456789'
const base = digits.length
const firstPoint = 0x20
const lastPoint = 0x10ffff
const [smallest, greatest, skew, damp, firstBias] = [1, 26, 38, 700, 72]

const threshold = (place: number, bias: number) => Math.max(smallest, Math.min(greatest, place - bias))

function adapted(delta: number, count: number, isFirst: boolean) {
  let rest = Math.floor(delta / (isFirst ? damp : 2))
  rest += Math.floor(rest / count)
  let bias = 0
  for (; rest > (base - smallest) * greatest / 2; bias += base) rest = Math.floor(rest / (base - smallest))
  return bias + Math.floor((base - smallest + 1) * rest / (rest + skew))
}

function encoded(name: string): string {
  const characters = Array.from(exchanged(name))
  const kept = characters.filter((character) => plain.test(character))
  const others = characters.filter((character) => !plain.test(character)).map(pointOf).sort((one, other) => one - other)
  let [point, delta, bias, count, code] = [firstPoint, 0, firstBias, kept.length, '']
  for (const next of new Set(others)) {
    delta += (next - point) * (count + 1)
    point = next
    for (const character of characters) {
      const isPlain = plain.test(character)
      if (isPlain || pointOf(character) < point) delta++
      else if (pointOf(character) === point) {
        code += numberWords(delta, bias)
        bias = adapted(delta, count + 1, count === kept.length)
        delta = 0
        count++
      }
    }
    delta++
    point++
  }
  return `${kept.join('')}${nameMark}${code || nothing}`
}

const pointOf = (character: string) => character.codePointAt(0) ?? 0

function numberWords(number: number, bias: number) {
  let words = ''
  for (let place = base; ; place += base) {
    const least = threshold(place, bias)
    if (number < least) return words + digits[number]
    words += digits[least + (number - least) % (base - least)]
    number = Math.floor((number - least) / (base - least))
  }
}

/** @returns null if the code is none */
function decoded(kept: string, code: string): string | null {
  const characters = Array.from(kept)
  if (code === nothing) return exchanged(kept)
  let [point, index, bias] = [firstPoint, 0, firstBias]
  for (let at = 0; at < code.length;) {
    const before = index
    let weight = 1
    for (let place = base; ; place += base) {
      const digit = digits.indexOf(code[at++] ?? ' ')
      if (digit < 0) return null
      index += digit * weight
      const least = threshold(place, bias)
      if (digit < least) break
      weight *= base - least
    }
    const count = characters.length + 1
    bias = adapted(index - before, count, before === 0)
    point += Math.floor(index / count)
    index %= count
    if (point > lastPoint || (point >= 0xd800 && point <= 0xdfff)) return null
    characters.splice(index++, 0, String.fromCodePoint(point))
  }
  return exchanged(characters.join(''))
}
