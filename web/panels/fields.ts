import { element, isComposed, setAttributes } from '../elements/element.js'
import { nameWords, type Step } from '../state/editing.js'

// The inspector's fields. A field shows one value, or that the shapes have different values. It reports a new value
// while the person types or drags, and shows the old one again if the new one isn't taken. A field in which the person
// is typing is not changed, even if others write the value.

/**
 * Writes a field's value to the shapes. False if the value itself was refused; null if the shapes can't be changed, of
 * which a notice tells.
 */
type Change<T> = (value: T) => boolean | null

export type FieldHost = { openStep: () => Step }

/** `show` gets null if the shapes have different values. */
export type Field<T> = {
  element: HTMLElement, show: (value: T | null) => void, setDisabled: (isDisabled: boolean) => void,
}

let count = 0
const freshId = () => `field-${++count}`

/** A number with at most two decimals. */
const numberText = (value: number) => String(Math.round(value * 100) / 100)

/** Consecutive changes in a field, which together are one step of undo. */
class Run {
  #host
  #step: Step | null = null
  constructor(host: FieldHost) { this.#host = host }
  get isOpen() { return this.#step?.isOpen === true }
  /** Opens another step if an undo has ended the last one. */
  begin() { if (!this.isOpen) this.#step = this.#host.openStep() }
  end() {
    this.#step?.end()
    this.#step = null
  }
}

/** Whether the person has typed since the field last showed a value. */
const isTyped = (input: HTMLInputElement) => input.value !== input.defaultValue

/** If all of the old text is selected, all of the new one is, so that typing replaces it. */
function showText(input: HTMLInputElement, text: string) {
  const { value, selectionStart, selectionEnd } = input
  const isSelected = value !== '' && selectionStart === 0 && selectionEnd === value.length && document.activeElement === input
  input.defaultValue = text
  input.value = text
  if (isSelected) input.select()
}

/**
 * Handles the keys in a field, and keeps them from the page. Keys with Control or Command, such as those for undo,
 * still reach the page if nothing was typed. Enter saves, unless it confirms an input method's suggestion. Escape
 * restores the old value and leaves the field.
 */
function keepKeys(input: HTMLInputElement, commit: () => void, restore: () => void) {
  input.addEventListener('keydown', (event) => {
    const isOfPage = (event.ctrlKey || event.metaKey) && !isTyped(input)
    if (!isOfPage) event.stopPropagation()
    if (isComposed(event)) return
    if (event.key === 'Enter') commit()
    if (event.key !== 'Escape') return
    restore()
    input.blur()
  })
}

/** A field for a number. The arrow keys increase or decrease it. */
export function numberField(
  label: string,
  { min, max, step = 1, unit, change }: {
    min: number, max: number, step?: number, unit?: string, change: Change<number>,
  },
  host: FieldHost,
): Field<number> {
  const id = freshId()
  const input = element('input', {
    id, class: 'field', type: 'text', inputmode: 'decimal', autocomplete: 'off', spellcheck: 'false',
  })
  let shown: number | null = null
  const run = new Run(host)
  const apply = (value: number) => {
    const within = Math.min(max, Math.max(min, value))
    run.begin()
    show(change(within) ? within : shown)
  }
  const refused = refusal(input)
  const commit = () => {
    const value = readNumber(input.value)
    if (!isTyped(input) || input.value.trim() === '') restore()
    else if (value === null) refused.tell('Type a number like 120 or 12.5.')
    else apply(value)
    run.end()
  }
  const restore = () => {
    refused.tell()
    show(shown)
  }
  keepKeys(input, commit, restore)
  refused.onLeave(() => show(shown))
  input.addEventListener('keydown', (event) => {
    if (isComposed(event)) return
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
    const direction = event.key === 'ArrowUp' ? 1 : -1
    event.preventDefault()
    const from = readNumber(input.value) ?? shown
    refused.tell()
    if (from !== null) apply(from + direction * step * (event.shiftKey ? 10 : 1))
  })
  input.addEventListener('change', commit)
  input.addEventListener('blur', () => run.end())
  const show = (value: number | null) => {
    shown = value
    input.placeholder = value === null ? 'Mixed' : ''
    showText(input, value === null ? '' : numberText(value))
  }
  return {
    element: element('div', { class: 'inspector-field' },
      element('label', { for: id }, label, unit ? element('span', { class: 'visually-hidden' }, ` (${unit})`) : null),
      input, refused.element),
    show: (value) => {
      if (document.activeElement === input && isTyped(input)) shown = value
      else if (document.activeElement !== input || value !== shown) show(value)
    },
    setDisabled: (isDisabled) => { input.disabled = isDisabled },
  }
}

/**
 * Parses a number as people write it: with a decimal point or comma, with spaces or commas between thousands, or with
 * full-width digits.
 */
function readNumber(text: string): number | null {
  const plain = text.normalize('NFKC').replace(/\s/g, '').replace('−', '-')
  const isGrouped = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/.test(plain)
  const written = isGrouped ? plain.replaceAll(',', '') : plain.replace(',', '.')
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(written) ? Number(written) : null
}

/**
 * A slider for a number, with the value in words beside it. A drag is one step of undo.
 *
 * @param how `settle`: what a drag changes only at its end
 */
export function sliderField(
  label: string,
  { min, max, step = 1, words = numberText, change, settle }: {
    min: number, max: number, step?: number, words?: (value: number) => string, change: Change<number>,
    settle?: (value: number) => void,
  },
  host: FieldHost,
): Field<number> {
  const id = freshId()
  const input = element('input', { id, class: 'slider', type: 'range', min, max, step })
  const output = element('output', { for: id, class: 'slider-words' })
  const run = new Run(host)
  let isHeld = false
  let shown: number | null = null
  const letGo = () => {
    isHeld = false
    if (run.isOpen) settle?.(Number(input.value))
    run.end()
  }
  const show = (value: number | null) => {
    shown = value
    output.textContent = value === null ? 'Mixed' : words(value)
    if (value !== null) input.value = String(value)
    setAttributes(input, { 'aria-valuetext': output.textContent })
    input.style.setProperty('--part', String((Number(input.value) - min) / (max - min)))
  }
  // Not every browser moves the focus, which decides to which shapes the value applies.
  input.addEventListener('pointerdown', () => {
    isHeld = true
    input.focus()
  })
  input.addEventListener('input', () => {
    // Another finger has selected other shapes, which ended this change.
    if (document.activeElement !== input) return show(shown)
    run.begin()
    const value = Number(input.value)
    show(change(value) ? value : shown)
  })
  for (const type of ['change', 'blur']) input.addEventListener(type, letGo)
  // Ends the press, even if the press hasn't moved the slider.
  for (const type of ['pointerup', 'pointercancel']) input.addEventListener(type, () => { isHeld = false })
  return {
    element: element('div', { class: 'inspector-field wide' }, element('label', { for: id }, label),
      element('div', { class: 'row' }, input, output)),
    show: (value) => { if (!isHeld) show(value) },
    setDisabled: (isDisabled) => { input.disabled = isDisabled },
  }
}

/** Shows below a field why its value was refused, until another value is typed or shown. */
function refusal(input: HTMLInputElement) {
  const words = element('span', { class: 'field-hint small-text', id: freshId(), hidden: true, role: 'alert' })
  /** @param told the reason for the refusal; empty if the value was accepted */
  const tell = (told = '') => {
    words.textContent = told
    words.hidden = told === ''
    if (told !== '') words.scrollIntoView({ block: 'nearest' })
    setAttributes(input, { 'aria-invalid': told === '' ? null : 'true', 'aria-describedby': words.id })
  }
  input.addEventListener('input', () => tell())
  /** @param restore shows the current value again; the reason why the typed one was refused stays visible */
  const onLeave = (restore: () => void) => input.addEventListener('blur', () => {
    if (!input.hasAttribute('aria-invalid')) return
    input.removeAttribute('aria-invalid')
    restore()
  })
  return { element: words, tell, onLeave }
}

/** A field for a colour: a colour picker, and a text field for the hexadecimal value. */
export function colorField(
  label: string, { change }: { change: Change<string> }, host: FieldHost,
): Field<string> {
  const id = freshId()
  const picker = element('input', { type: 'color', class: 'color-picker', 'aria-label': `${label}: choose a colour` })
  const text = element('input', {
    id, class: 'field', type: 'text', autocomplete: 'off', spellcheck: 'false', maxlength: '7',
  })
  const run = new Run(host)
  let shown: string | null = null
  const show = (color: string | null) => {
    shown = color
    picker.value = (color ?? '#888888').toLowerCase()
    picker.classList.toggle('mixed', color === null)
    showText(text, color ?? '')
    text.placeholder = color === null ? 'Mixed' : ''
  }
  const refused = refusal(text)
  picker.addEventListener('input', () => {
    run.begin()
    const color = picker.value.toUpperCase()
    show(change(color) ? color : shown)
  })
  picker.addEventListener('change', () => run.end())
  picker.addEventListener('blur', () => run.end())
  const commit = () => {
    const match = text.value.normalize('NFKC').trim().match(/^#?([0-9a-f]{6}|[0-9a-f]{3})$/i)
    if (!match) {
      if (text.value.trim() !== '') refused.tell('Type a colour like #E4572E.')
      else show(shown)
      return
    }
    refused.tell()
    const digits = match[1].length === 3 ? [...match[1]].map((digit) => digit + digit).join('') : match[1]
    const color = `#${digits.toUpperCase()}`
    show(color === shown || change(color) ? color : shown)
  }
  text.addEventListener('change', commit)
  refused.onLeave(() => show(shown))
  keepKeys(text, commit, () => {
    refused.tell()
    show(shown)
  })
  return {
    element: element('div', { class: 'inspector-field wide color' }, element('label', { for: id }, label),
      element('div', { class: 'row' }, picker, text), refused.element),
    show: (color) => {
      if (document.activeElement === text && isTyped(text)) {
        shown = color
        return
      }
      if (color !== shown) refused.tell()
      if (document.activeElement !== text || color !== shown) show(color)
    },
    setDisabled: (isDisabled) => {
      picker.disabled = isDisabled
      text.disabled = isDisabled
    },
  }
}

/**
 * A field for a text, which is saved when the field loses the focus. If the shapes have different texts, the
 * placeholder says what typing does.
 */
export function textField(
  label: string,
  { change, maxlength, placeholder }: { change: Change<string>, maxlength: number, placeholder: string },
): Field<string> {
  const id = freshId()
  const input = element('input', { id, class: 'field', type: 'text', dir: 'auto', autocomplete: 'off', spellcheck: 'false', maxlength })
  let shown: string | null = null
  let committed = ''
  /** Whether the shapes couldn't be changed. They can be free soon, so what was typed stays until the field is left. */
  let isHeld = false
  const refused = refusal(input)
  const commit = () => {
    if (input.value.trim() === '' || input.value === shown || !isTyped(input)) {
      showText(input, shown ?? '')
      return
    }
    committed = input.value
    const isTaken = change(input.value.trim())
    isHeld = isTaken === null
    if (isTaken === false) refused.tell(nameWords)
  }
  refused.onLeave(() => showText(input, shown ?? ''))
  input.addEventListener('change', commit)
  input.addEventListener('blur', () => {
    // If the window loses the focus, the field stays the active element.
    if (isHeld && document.activeElement !== input) showText(input, shown ?? '')
  })
  keepKeys(input, commit, () => {
    refused.tell()
    showText(input, shown ?? '')
  })
  return {
    element: element('div', { class: 'inspector-field wide' }, element('label', { for: id }, label), input, refused.element),
    show: (text) => {
      input.placeholder = text === null ? placeholder : ''
      if (text !== shown) refused.tell()
      // If the server refuses the value, the field shows the old value again, unless the person is already typing
      // another one.
      const isBusy = document.activeElement === input && isTyped(input)
      if (!isBusy || (text !== shown && input.value === committed)) showText(input, text ?? '')
      else input.defaultValue = text ?? ''
      shown = text
    },
    setDisabled: (isDisabled) => { input.disabled = isDisabled },
  }
}

/** A checkbox. It is indeterminate if the values differ. */
export function checkField(label: string, { change }: { change: Change<boolean> }): Field<boolean> {
  const id = freshId()
  const input = element('input', { id, type: 'checkbox', class: 'check' })
  let shown: boolean | null = null
  const show = (value: boolean | null) => {
    shown = value
    input.indeterminate = value === null
    input.checked = value === true
  }
  input.addEventListener('change', () => { if (!change(input.checked)) show(shown) })
  return {
    element: element('div', { class: 'inspector-field check-field' }, input, element('label', { for: id }, label)),
    show,
    setDisabled: (isDisabled) => { input.disabled = isDisabled },
  }
}

/** A field in which the person chooses one of several values. */
export function choiceField(
  label: string, { choices, change }: { choices: [string, string][], change: Change<string> },
): Field<string> {
  const id = freshId()
  const select = element('select', { id, class: 'field' },
    element('option', { value: '', hidden: true }, 'Mixed'),
    choices.map(([value, words]) => element('option', { value }, words)))
  let shown: string | null = null
  const show = (value: string | null) => {
    shown = value
    select.value = value ?? ''
  }
  select.addEventListener('change', () => { if (!change(select.value)) show(shown) })
  return {
    element: element('div', { class: 'inspector-field wide' }, element('label', { for: id }, label), select),
    show,
    setDisabled: (isDisabled) => { select.disabled = isDisabled },
  }
}
