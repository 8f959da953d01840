// The keys that write marks into a text (S18): Ctrl+B, and Enter in a list.

/** Matches what stands before the words of an item. */
const head = /^ {0,8}(?:-|(\d{1,3})\.) /
const stars = '**'

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

/** Replaces a part of the text, so that the browser can undo it, and selects a part of what is there then. */
function replace(
  field: HTMLTextAreaElement, from: number, to: number, words: string, start: number, end = start,
): true {
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

/** Makes what is selected bold, or plain if it is bold; without a selection, the word at the caret. */
function toggleBold(field: HTMLTextAreaElement): true {
  const { value, selectionStart, selectionEnd } = field
  let [start, end] = [selectionStart, selectionEnd]
  const isRange = start < end
  if (!isRange) {
    start -= value.slice(0, start).match(/[^\s*]*$/)?.[0].length ?? 0
    end += value.slice(end).match(/^[^\s*]*/)?.[0].length ?? 0
  }
  const { length } = stars
  if (value.slice(start - length, start) === stars && value.slice(end, end + length) === stars) {
    const plain = value.slice(start, end)
    return replace(field, start - length, end + length, plain, selectionStart - length, selectionEnd - length)
  }
  if (start === end) return replace(field, start, end, stars + stars, start + length)
  const parts = value.slice(start, end).split('\n')
    .map((part, index) => trimmed(part, index > 0 || start === 0 || value[start - 1] === '\n'))
  const isBold = parts.every(({ words }) => words === '' || (words.startsWith(stars) && words.endsWith(stars)))
  const made = parts.map(({ before, words, after }) => {
    const bare = words.replaceAll(stars, '')
    return before + (isBold || bare === '' ? bare : stars + bare + stars) + after
  }).join('\n')
  if (!isRange) return replace(field, start, end, made, selectionStart + length)
  if (parts.length > 1 || isBold) return replace(field, start, end, made, start, start + made.length)
  const [{ before, after }] = parts
  return replace(field, start, end, made, start + before.length + length, start + made.length - length - after.length)
}

/** A part of a line as what stands before its words, the words, and the spaces behind them. */
function trimmed(part: string, isLineStart: boolean) {
  const own = (isLineStart && part.match(head)?.[0]) || ''
  const rest = part.slice(own.length)
  const words = rest.trim()
  const at = rest.indexOf(words)
  return { before: own + rest.slice(0, at), words, after: rest.slice(at + words.length) }
}

/** Enter in an item begins the next item. In an item without words, it ends the list. */
function goOnWithList(field: HTMLTextAreaElement): boolean {
  const { selectionStart: start, selectionEnd: end, value } = field
  const lineStart = value.lastIndexOf('\n', start - 1) + 1
  const [line] = value.slice(lineStart).split('\n', 1)
  const [own, number] = line.match(head) ?? []
  if (own === undefined || start < lineStart + own.length) return false
  if (start === end && line.trim() === own.trim()) {
    return replace(field, lineStart, lineStart + line.length, '', lineStart)
  }
  const next = number === undefined ? own : own.replace(number, String(Number(number) + 1))
  if (!head.test(next)) return false
  return replace(field, start, end, `\n${next}`, start + 1 + next.length)
}
