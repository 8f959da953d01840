import { isTooLong } from '../keep/plain-text.js'

// The keys that write marks into a text (S18): Ctrl+B, and Enter in a list.

/** Matches what stands before the words of an item. */
const head = /^ {0,8}(?:-|(\d{1,3})\.) /
const stars = '**'
/** Matches words that S18 draws bold. */
const boldWords = /\*\*([^ *\n](?:(?!\*\*).)*)(?<! )\*\*/g

/**
 * Carries out a key press in the field of a text, if the key writes marks there.
 *
 * @returns whether it does
 */
export function pressed(event: KeyboardEvent, field: HTMLTextAreaElement): boolean {
  const { altKey, ctrlKey, key, metaKey, shiftKey } = event
  if (altKey || shiftKey) return false
  if (ctrlKey || metaKey) return key.toLowerCase() === 'b' && toggleBold(field)
  return key === 'Enter' && goOnWithList(field)
}

/**
 * Replaces a part of the text, so that the browser can undo it, and selects a part of what is there then. If the text
 * would be too long, the field gets the event `full` instead.
 */
function replace(
  field: HTMLTextAreaElement, from: number, to: number, words: string, start: number, end = start,
): true {
  if (isTooLong(field.value.slice(0, from) + words + field.value.slice(to))) {
    field.dispatchEvent(new Event('full'))
    return true
  }
  field.setSelectionRange(from, to)
  // Nothing else keeps the field's own steps of undo.
  const isDone = document.execCommand(words === '' ? 'delete' : 'insertText', false, words)
  if (!isDone) {
    field.setRangeText(words)
    field.dispatchEvent(new InputEvent('input', { inputType: 'insertText' }))
  }
  field.setSelectionRange(start, end)
  return true
}

/** What the last Ctrl+B left, if it made a word bold: before anything is typed, the next takes that back. */
let boldWord: { value: string, caret: number } | null = null

/**
 * Makes what is selected bold, or plain if it is bold; without a selection, the word at the caret. At the end of bold
 * words, what is typed next is plain; right behind them, it is bold again.
 */
function toggleBold(field: HTMLTextAreaElement): true {
  const { value, selectionStart: start, selectionEnd: end } = field
  const isCaret = start === end
  const isTakenBack = isCaret && boldWord?.value === value && boldWord.caret === start
  boldWord = null
  const isDone = isCaret && !isTakenBack && (stepOver(field, start) || writeStars(field, start))
  return isDone || toggleRange(field, start, end)
}

/** Moves the caret out of the bold words that it is at the end of, or back into those that end before it. */
function stepOver(field: HTMLTextAreaElement, caret: number) {
  const { value } = field
  const { length } = stars
  const end = endOfBold(value, caret)
  if (end === null) return boldAt(value, caret - length)?.end === caret - length && moveTo(field, caret - length)
  return end === caret ? moveTo(field, caret + length)
    : replace(field, end, caret + length, stars + value.slice(end, caret), caret + length)
}

/**
 * Where the bold words end that the caret is at the end of. Spaces between them and the caret belong behind the
 * asterisks: before these, they would keep them from closing.
 */
function endOfBold(text: string, caret: number): number | null {
  const { length } = text.slice(0, caret).replace(/ +$/, '')
  return boldAt(text.slice(0, length) + text.slice(caret), length)?.end === length ? length : null
}

function moveTo(field: HTMLTextAreaElement, caret: number): true {
  field.setSelectionRange(caret, caret)
  return true
}

/** Where there is no word, what is typed between two pairs of asterisks is bold. Takes them away if nothing was. */
function writeStars(field: HTMLTextAreaElement, caret: number) {
  const { value } = field
  const { length } = stars
  const [before, after] = [value.slice(0, caret), value.slice(caret)]
  if (before.endsWith(stars) && after.startsWith(stars)) {
    return replace(field, caret - length, caret + length, '', caret - length)
  }
  return !/\S$/.test(before) && !/^\S/.test(after) && replace(field, caret, caret, stars + stars, caret + length)
}

/** The bold words that a place in the text is in: from behind their first asterisks to the last ones. */
function boldAt(text: string, place: number): { start: number, end: number } | null {
  for (const { index = 0, 1: words } of text.matchAll(boldWords)) {
    const start = index + stars.length
    if (start <= place && place <= start + words.length) return { start, end: start + words.length }
  }
  return null
}

/** Makes a selection, or the word at the caret, bold or plain, by writing its lines anew. */
function toggleRange(field: HTMLTextAreaElement, start: number, end: number): true {
  const { value } = field
  const from = value.lastIndexOf('\n', start - 1) + 1
  const to = end + value.slice(end).split('\n', 1)[0].length
  const letters = lettersOf(value.slice(from, to))
  let [first, last] = [start, end].map((place) => letters.filter(({ at }) => at < place - from).length)
  const caret = start === end ? first : null
  if (caret !== null) {
    while (first > 0 && letters[first - 1].isWord) first -= 1
    while (last < letters.length && letters[last].isWord) last += 1
  }
  const range = letters.slice(first, last)
  const isBold = !range.some((letter) => letter.isWord && !letter.isBold)
  for (const letter of range) letter.isBold = !isBold
  const { text, places } = written(letters)
  // The selection, or the caret, stays within the asterisks.
  const newStart = from + places[caret ?? first][caret === null || caret === first ? 'behind' : 'before']
  const newEnd = caret === null ? from + places[last].before : newStart
  replace(field, from, to, text, newStart, newEnd)
  if (caret !== null && !isBold) boldWord = { value: field.value, caret: field.selectionStart }
  return true
}

/** `isWord`: whether asterisks can stand beside it, so it's neither a space nor in the head of an item. */
type Letter = { letter: string, at: number, isBold: boolean, isWord: boolean }

/** The characters of whole lines, without the asterisks around bold words. */
function lettersOf(lines: string): Letter[] {
  const runs = [...lines.matchAll(boldWords)]
    .map(({ index: start = 0, 0: run }) => ({ start, end: start + run.length }))
  const { length } = stars
  let headEnd = 0
  return [...lines.matchAll(/[^]/g)].flatMap(({ index: at = 0, 0: letter }) => {
    if (at === 0 || lines[at - 1] === '\n') headEnd = at + (lines.slice(at).match(head)?.[0].length ?? 0)
    const run = runs.find(({ start, end }) => start <= at && at < end)
    const isMark = run && (at < run.start + length || at >= run.end - length)
    return isMark ? [] : [{ letter, at, isBold: run !== undefined, isWord: at >= headEnd && letter.trim() !== '' }]
  })
}

/**
 * Writes lines with asterisks around bold words, but not around the spaces beside these.
 *
 * @returns `places`: where each letter is, and the end: before the asterisks that are written there, and behind them
 */
function written(letters: Letter[]) {
  let text = ''
  let isOpen = false
  const places = [...letters, null].map((letter, index) => {
    const before = text.length
    // The spaces between two bold words are bold.
    const next = isOpen ? letters.slice(index).find(({ letter, isWord }) => isWord || letter === '\n') : letter
    const goesOn = next?.isWord === true && next.isBold
    if (goesOn !== isOpen) text += stars
    isOpen = goesOn
    const behind = text.length
    text += letter?.letter ?? ''
    return { before, behind }
  })
  return { text, places }
}

/** Enter in an item begins the next item. In an item without words, it ends the list. */
function goOnWithList(field: HTMLTextAreaElement): boolean {
  const { selectionStart: start, selectionEnd: end, value } = field
  const lineStart = value.lastIndexOf('\n', start - 1) + 1
  const [line] = value.slice(lineStart).split('\n', 1)
  const [own, number] = line.match(head) ?? []
  if (own === undefined || start < lineStart + own.length) return breakBold(field)
  if (start === end && line.trim() === own.trim()) {
    return replace(field, lineStart, lineStart + line.length, '', lineStart)
  }
  const next = number === undefined ? own : own.replace(number, String(Number(number) + 1))
  if (!head.test(next)) return breakBold(field)
  return breakBold(field, next) || replace(field, start, end, `\n${next}`, start + 1 + next.length)
}

/** Begins the next line within bold words, or at their end. Each line has asterisks of its own. */
function breakBold(field: HTMLTextAreaElement, next = ''): boolean {
  const { selectionStart: start, selectionEnd, value } = field
  const end = endOfBold(value, start)
  const bold = boldAt(value, start)
  if (start < selectionEnd || (end === null && (!bold || bold.start === start))) return false
  const from = end ?? value.slice(0, start).trimEnd().length
  const to = end === null ? value.length - value.slice(start).trimStart().length : start + stars.length
  const words = `${stars}\n${next}${end === null ? stars : ''}`
  return replace(field, from, to, words, from + words.length)
}
