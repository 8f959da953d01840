import { abandonNew } from '../arrange/held.js'
import type { Momentum } from '../arrange/momentum.js'
import type { Reach } from '../arrange/reach.js'
import { within } from '../basics/words.js'
import { captionMiddle } from '../canvas/captions.js'
import { fittedTo, goesLeft, widthMax, widthMin } from '../canvas/fitted.js'
import { textSizeFor } from '../canvas/notes.js'
import { heightFor, lineHeight, textColor, textFace, textPadding, widthFor } from '../canvas/text.js'
import { fillTone } from '../canvas/tones.js'
import { captionMargin, captionWidthMax, type Shape } from '../core/table.js'
import type { Changes, Frame, Point } from '../core/types.js'
import { isWrittenOn } from '../draw/look.js'
import { keepBeside, makeBeside } from '../draw/making.js'
import { element, hasFingers, isComposed } from '../elements/element.js'
import { tapDistanceMax, tapPauseMax } from '../gestures/limits.js'
import { cleaned, plainText, shortened } from '../keep/plain-text.js'
import type { Step } from '../state/editing.js'
import type { Names } from '../state/names.js'
import type { LaterPart } from '../state/parts.js'
import { toolbox } from '../tools/toolbox.js'
import { AboveKeyboard } from './above-keyboard.js'

type MarkKeys = typeof import('./mark-keys.js')

/**
 * The text that is being written. `step`: the step of undo in which the shape was made, if it was made for writing.
 * The text belongs to that step. If the text stays empty, the shape is removed.
 *
 * `began`: the shape as it was last, but with the text that it had when writing began. `edits`: the number of edits in
 * the step when writing began.
 */
type Open = { id: number, began: Shape, isNew: boolean, step: Step | null, edits: number }

const isBlank = (shape: Shape | null) => shape?.kind === 'text' && shape.text.trim() === ''

/** The types of input events that typing causes. Only these start writing. */
const typing = ['insertText', 'insertCompositionText']

/**
 * Edits a shape's text in a text field over the shape, with the shape's size and rotation. The text is saved whenever
 * the field loses the focus, as one step of undo.
 *
 * While a single text or note is selected and the tool doesn't draw, the invisible field already has the focus and the
 * shape's text. So input methods, dead keys and emoji work from the first character. Keys that don't type keep their
 * meaning for the page.
 */
export class Writing {
  #reach
  #names
  #open: Open | null = null
  #waitsFor: number | null = null
  #field = element('textarea', { class: 'waiting-field', rows: '1', dir: 'auto', spellcheck: 'true', wrap: 'soft' })
  #hint = element('p', { class: 'writing-hint small-text floating', hidden: true, role: 'status' })
  element = element('section', { class: 'writing', 'aria-label': 'Writing', hidden: true }, this.#field)
  /** Where the double click was that opened the field. */
  #freshAt: Point = { x: 0, y: 0 }
  #keyboard
  #loadMarkKeys
  /** The keys that write marks. They are loaded when somebody writes. */
  #markKeys: MarkKeys | null = null
  #sized: { shape?: Shape, text?: string, size: number } = { size: 0 }
  #hasEnded = false
  /** What somebody else has done to the shape or its text since the writing began. */
  #news = ''
  /** New shapes, and the step that made them, which is to be taken back while this person may not edit. */
  #unseen: { shapes: number[], step: Step } | null = null

  constructor(
    stage: HTMLElement,
    reach: Pick<Reach,
      'shown' | 'editing' | 'permission' | 'selection' | 'scene' | 'view' | 'frames' | 'notices' | 'locks' | 'presence'
      | 'tool' | 'palette'> & { momentum: Momentum },
    names: Names,
    markKeys: LaterPart<MarkKeys>,
  ) {
    this.#loadMarkKeys = async () => { this.#markKeys ??= await markKeys.prepare() }
    this.#reach = reach
    this.#names = names
    this.#keyboard = new AboveKeyboard(reach.view)
    const field = this.#field
    this.element.append(this.#hint)
    field.addEventListener('beforeinput', (event) => {
      if (this.#waitsFor !== null && !typing.includes(event.inputType)) event.preventDefault()
      else this.#take(event)
    })
    field.addEventListener('input', (event) => {
      const shape = this.#waitsFor === null ? null : reach.shown.replica.shape(this.#waitsFor)
      if (shape) this.#begin(shape, false, null)
      this.#typed(event instanceof InputEvent && event.isComposing)
    })
    field.addEventListener('compositionend', () => this.#typed(false))
    field.addEventListener('full', () => this.#sayFull())
    field.addEventListener('keydown', (event) => {
      if (!this.#open) return
      event.stopPropagation()
      if (isComposed(event)) return
      if (this.#markKeys?.pressed(event, field)) return event.preventDefault()
      const isTab = event.key === 'Tab' && !event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey
      if (isTab && (event.repeat || this.#goOnBeside())) event.preventDefault()
      const isDone = event.key === 'Escape' || (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
      if (!isDone) return
      event.preventDefault()
      this.close()
      this.#hasEnded = true
      this.#rest()
    })
    let isThirdClick = false
    this.element.addEventListener('pointerdown', ({ x, y }) => {
      // A press elsewhere leaves the field.
      if (Math.hypot(x - this.#freshAt.x, y - this.#freshAt.y) > tapDistanceMax.touch) this.#age()
      isThirdClick = this.element.classList.contains('is-fresh')
    })
    this.element.addEventListener('pointerup', () => { if (isThirdClick) field.select() })
    this.element.addEventListener('mousedown', (event) => {
      if (this.element.classList.contains('is-fresh')) event.preventDefault()
    })
    for (const type of ['keyup', 'copy', 'cut', 'paste', 'dblclick']) {
      field.addEventListener(type, (event) => { if (this.#open) event.stopPropagation() })
    }
    field.addEventListener('blur', () => {
      if (!document.hasFocus()) return
      this.#keep()
      this.#rest()
    })
    document.addEventListener('visibilitychange', () => { if (document.hidden) this.close() })
    reach.shown.on('changes', (changes) => {
      this.#follow(changes)
      this.#waitOrRest()
    })
    reach.tool.on('change', () => this.#waitOrRest())
    const waitAnew = () => {
      this.#hasEnded = false
      this.#waitOrRest()
    }
    reach.selection.on('change', waitAnew)
    reach.permission.on('change', () => {
      this.#takeBackUnseen()
      this.#showHint()
      this.#waitOrRest()
    })
    // A press on the canvas removes the focus from every element. Afterwards the invisible field can take the focus.
    stage.addEventListener('pointerup', waitAnew)
    // The page can switch to the past while the person writes. Then the text is saved first.
    reach.shown.on('leaving', () => {
      const isWritten = this.#open !== null && plainText(this.#field.value) !== this.#open.began.text
      this.close()
      if (isWritten) reach.notices.say('What you wrote is kept.', { group: 'written' })
    })
    reach.frames.on('paint', () => this.#place())
    reach.presence.on('change', () => this.#showHint())
    // The field moves when the on-screen keyboard opens or closes.
    for (const type of ['resize', 'scroll']) window.visualViewport?.addEventListener(type, () => this.#show())
  }

  get isOpen() { return this.#open !== null }
  /**
   * Whether a key has ended the writing in the shape that is still selected. Until a shape is pressed or selected, no
   * letter is written in the shape or changes it: a person who goes on typing wants a tool, or has pressed the key too
   * early.
   */
  get hasEnded() { return this.#hasEnded }
  get hasMarkKeys() { return this.#markKeys !== null }

  /**
   * Begins to write in a shape.
   *
   * @param how `isNew`: the box grows with the text; `step`: the step of undo in which the shape was just made, which
   *   ends with the writing; `at`: where to put the caret, relative to the stage, or else at the text's end
   */
  open(
    id: number,
    { isNew = false, step = null, selectsAll = false, at }: {
      isNew?: boolean, step?: Step | null, selectsAll?: boolean, at?: Point,
    } = {},
  ) {
    const { locks, permission, selection, shown } = this.#reach
    this.close()
    if (permission.mayEdit && locks.refuse([id])) return step?.end()
    const shape = permission.mayEdit ? shown.replica.shape(id) : null
    if (!shape || shape.kind === 'ink') return step?.end()
    selection.set([id])
    this.#field.value = shape.text
    this.#begin(shape, isNew, step)
    this.#field.focus({ preventScroll: true })
    if (selectsAll) this.#field.select()
    else this.#placeCaret(at)
    if (at) this.#keepFresh(at)
  }

  /** @param at relative to the stage; the default is the text's end */
  #placeCaret(at?: Point) {
    const field = this.#field
    const found = at ? document.caretPositionFromPoint?.(at.x, at.y) : null
    const place = found?.offsetNode === field ? found.offset : field.value.length
    field.setSelectionRange(place, place)
  }

  /**
   * For a moment the field also takes clicks beside its text. Otherwise the third of three quick clicks would hit the
   * shape, and so would the clicks that a browser generates after taps.
   */
  #keepFresh(at: Point) {
    this.#freshAt = at
    this.element.classList.add('is-fresh')
    setTimeout(() => this.#age(), tapPauseMax)
  }

  /** From now on clicks beside the text hit what is there. */
  #age() { this.element.classList.remove('is-fresh') }

  /**
   * Prepares the invisible field, if a single shape is selected and it can have text.
   *
   * @returns whether the next typed character is written in that shape
   */
  wait(): boolean {
    const shape = this.#open ? null : this.#writable()
    if (!shape) return false
    const field = this.#field
    if (this.#waitsFor === shape.id && field.value === shape.text && document.activeElement === field) return true
    this.#waitsFor = shape.id
    field.value = shape.text
    field.setAttribute('aria-label', `Text in ${this.#reach.shown.replica.shownName(shape.id)}`)
    this.element.hidden = false
    field.focus({ preventScroll: true })
    field.setSelectionRange(field.value.length, field.value.length)
    return true
  }

  /**
   * Saves the text and closes the field.
   *
   * @param how `isPressed`: a press on the canvas ends the writing, and the canvas must not move while the press lasts
   */
  close({ isPressed = false }: { isPressed?: boolean } = {}) {
    if (!this.#open) return
    this.#keep(isPressed)
    this.#waitOrRest()
  }

  /**
   * Ends writing in a note or another shape, and goes on in a new one beside it.
   *
   * @returns false for a text or a line, which has no next one
   */
  #goOnBeside(): boolean {
    const open = this.#open
    if (!open || ['text', 'line'].includes(open.began.kind)) return false
    this.close()
    const shape = this.#reach.shown.live.shape(open.id)
    // Beside a shape that is gone lies what was written in it.
    if (shape) this.#reach.editing.guard(() => makeBeside({ ...this.#reach, writing: this }, shape))
    return true
  }

  /** The selected shape, if only one is selected and a person can type text into it. */
  #writable() {
    const { locks, permission, selection, shown, tool } = this.#reach
    const [id] = selection.ids()
    if (this.#hasEnded || selection.size !== 1 || toolbox[tool.name].draws || !permission.mayEdit || locks.has(id)) return null
    const shape = shown.replica.shape(id)
    return shape && shape.kind !== 'ink' && isWrittenOn(shape) ? shape : null
  }

  /**
   * Lets the invisible field take the focus, but only if no other element has it and no on-screen keyboard would open.
   */
  #waitOrRest() {
    if (this.#open) return
    const hasFocus = document.activeElement === this.#field
    const isFree = hasFocus || document.activeElement === document.body
    if (hasFingers() || !isFree || !this.wait()) this.#rest()
  }

  /** Hides the text field, and stops waiting for typing. */
  #rest() {
    this.#waitsFor = null
    this.element.hidden = true
    if (document.activeElement === this.#field) this.#field.blur()
  }

  #begin(shape: Shape, isNew: boolean, step: Step | null) {
    const { id } = shape
    if (!step) this.#reach.momentum.settle()
    this.#waitsFor = null
    this.#hasEnded = false
    this.#open = { id, began: shape, isNew, step, edits: step?.edits ?? 0 }
    this.#field.className = 'writing-field'
    this.#field.setAttribute('aria-label', `Text in ${this.#reach.shown.replica.shownName(id)}`)
    this.#news = ''
    this.#showHint()
    this.element.hidden = false
    this.#cover(id, true)
    this.#show()
    this.#reach.presence.setWriting(id)
    this.#loadMarkKeys()
  }

  /** Removes the field from the shape. The field can keep the focus. */
  #hide(isPressed = false) {
    if (isPressed) addEventListener('pointerup', () => { if (!this.#open) this.#keyboard.rest() }, { once: true })
    else this.#keyboard.rest()
    this.#field.className = 'waiting-field'
    this.#hint.hidden = true
    for (const part of [this.element, this.#field]) part.removeAttribute('style')
    this.#reach.presence.setWriting(null)
  }

  #keep(isPressed = false) {
    const open = this.#open
    if (!open) return
    this.#open = null
    this.#cover(open.id, false)
    try {
      this.#save(open, isPressed)
    } finally {
      if (this.#unseen?.step !== open.step) open.step?.end()
      // Other people hear now that this person has stopped writing. They must get the text first, so it was sent above.
      this.#hide(isPressed)
    }
  }

  #save({ id, began, isNew, step, edits }: Open, isPressed: boolean) {
    const { editing, permission, shown } = this.#reach
    const text = plainText(this.#field.value)
    const shape = shown.live.shape(id)
    // Nobody can see a text without letters, so it isn't left in the room.
    const isUnseen = step && isBlank(shape)
    const giveBack = (why?: string) => {
      this.#giveBack(began, text, why)
      if (isUnseen) this.takeBack([id], step)
    }
    if (!permission.mayEdit) giveBack()
    else if (!shape || shape.locked) {
      if (isUnseen) this.takeBack([id], step)
      this.#keepBeside(began, text, isPressed)
    } else if (text === began.text && text !== shape.text) {
      // This person has written nothing, and others have. Their text stays.
      return
    } else if (shape.kind === 'text' && text.trim() === '' && (step || shape.written)) {
      // If the step has got more edits since the writing began, only the text is reverted and not the whole step.
      if (step?.edits === edits) step.abandon()
      else step?.end()
      if (shown.live.shape(id)) editing.edit((live) => live.delete([id]))
    } else if (text !== began.text) {
      const set = { text, ...fittedTo(shape, text, isNew) }
      if (!editing.write((live) => live.edit([{ shape: id, set }]))) giveBack('This text can’t be kept')
    }
  }

  takeBack(shapes: number[], step: Step) {
    if (this.#reach.permission.mayEdit) abandonNew(this.#reach, step, shapes)
    else this.#unseen = { shapes, step }
  }

  #takeBackUnseen() {
    const unseen = this.#unseen
    if (!unseen || !this.#reach.permission.mayEdit) return
    this.#unseen = null
    const { shapes, step } = unseen
    if (this.#reach.shown.live.shapesOf(shapes).every(isBlank)) this.takeBack(shapes, step)
    else step.end()
  }

  /**
   * @param isComposing whether an input method is active; the field must not be changed then, because the composed text
   *   would get lost
   */
  #typed(isComposing: boolean) {
    if (!this.#open) return
    this.#age()
    const field = this.#field
    if (!isComposing) this.#clean()
    this.#show()
    this.#reach.presence.setWriting(this.#open.id, field.value, field.selectionEnd)
  }

  /** What a shape's text can have of what is typed or pasted, up to the caret: only as much as there is space for. */
  #kept(typed: string, rest: string) {
    const clean = cleaned(typed)
    const kept = shortened(clean, rest)
    if (kept !== clean) this.#sayFull()
    return kept
  }

  /** Puts what is kept of a paste into the field, if that is not all, so that the browser can undo it. */
  #take(event: InputEvent) {
    const { data, isComposing } = event
    const { selectionStart, selectionEnd, value } = this.#field
    if (!data || isComposing) return
    const kept = this.#kept(value.slice(0, selectionStart) + data, value.slice(selectionEnd)).slice(selectionStart)
    if (kept !== data && (!kept || document.execCommand('insertText', false, kept))) event.preventDefault()
  }

  /** Takes out what a shape's text can't have. */
  #clean() {
    const field = this.#field
    const { selectionEnd, value } = field
    const rest = cleaned(value.slice(selectionEnd))
    const kept = this.#kept(value.slice(0, selectionEnd), rest)
    if (kept + rest === value) return
    field.value = kept + rest
    field.setSelectionRange(kept.length, kept.length)
  }

  #sayFull() { this.#reach.notices.say('A shape takes no more text than this.', { kind: 'refused' }) }

  /** Says below the field what others have done to the text or its shape, and who is writing in it too. */
  #showHint() {
    const open = this.#open
    if (!open) return
    const others = this.#reach.presence.people().filter(({ writing }) => writing === open.id)
    const names = others.slice(0, 2).map(({ name }) => within(name)).join(' and ')
    const { permission } = this.#reach
    const words = !permission.mayEdit ? `${permission.whyNot}. What you write isn’t in the drawing.`
      : this.#news
        || (names && `${names} ${others.length > 1 ? 'are' : 'is'} writing here too. The text that is kept last replaces the others.`)
    if (this.#hint.textContent !== words) this.#hint.textContent = words
    this.#hint.hidden = words === ''
  }

  /** Places the field, and scrolls the canvas so that the on-screen keyboard doesn't cover the field. */
  #show() {
    this.#place()
    if (!this.#open || !hasFingers()) return
    this.#keyboard.follow(this.#field)
    this.#place()
  }

  /** Tells the painter whether to leave out the shape's text, because the field shows it. */
  #cover(id: number, isCovered: boolean) {
    const { frames, scene } = this.#reach
    const drawn = scene.drawn(id)
    if (drawn) drawn.isWritten = isCovered
    scene.touch(id)
    frames.request()
  }

  #follow({ reset, shapes }: Changes) {
    const open = this.#open
    if (!open) return
    const { shown } = this.#reach
    const change = shapes.find(({ id }) => id === open.id)
    if (!change && !reset) return
    const shape = reset ? shown.replica.shape(open.id) : change?.shape
    const by = change?.by ?? 0
    const who = by > 0 ? this.#names.of(by) : 'Somebody'
    if (shape) {
      open.began = { ...shape, text: open.began.text }
      this.#cover(open.id, true)
    }
    const isChanged = shape && shape.text !== open.began.text
    if (isChanged && (by < 0 || by === shown.live.actor)) return
    // The field stays until its writer ends it. Otherwise the letters that they are typing would be keys of tools.
    const loss = !shape ? by < 0 ? 'The server didn’t take this' : `${who} deleted this` : shape.locked ? 'This is locked now' : ''
    this.#news = loss ? `${loss}. What you write becomes a new text beside it.`
      : isChanged ? `${who} changed this text meanwhile. What you keep replaces it.` : ''
    this.#showHint()
  }

  /**
   * Offers to copy the text, because it can't be kept in the drawing.
   *
   * @param began the shape when the writing began
   */
  #giveBack(began: Shape, text: string, why = this.#reach.permission.whyNot) {
    if (text.trim() === '' || text === began.text) return
    const { notices } = this.#reach
    notices.say(`${why}. What you wrote isn’t in the drawing: “${text}”`, {
      kind: 'refused', group: `written ${began.id} ${text}`, isWhole: true, holds: text,
      action: notices.copying(text),
    })
  }

  /** Keeps what was written as a new text, because its shape is gone or locked. If a key ended the writing, selects the text. */
  #keepBeside(began: Shape, text: string, isPressed: boolean) {
    if (text.trim() === '' || text === began.text) return
    const { notices, selection } = this.#reach
    const id = keepBeside(this.#reach, began, text, !isPressed)
    if (!id) return this.#giveBack(began, text, 'A new text can’t be added')
    notices.say('What you wrote is kept as a new text.', { group: 'written' })
    if (!isPressed && document.activeElement === this.#field) selection.set([id])
  }

  /** The box of the field for a line's caption: around the line's middle, and as large as the text. */
  #captionFrame(middle: Point, textSize: number): Frame {
    const text = this.#field.value || ' '
    const width = Math.min(captionWidthMax * textSize, widthFor(text, textSize) + textSize) + 2 * textPadding
    const height = heightFor(text, textSize, width)
    return { x: middle.x - width / 2, y: middle.y - height / 2, width, height, rotation: 0 }
  }

  /** The size of the text in the field. It is computed only once for each text, because a long one takes a while. */
  #textSize(shape: Shape, text: string) {
    if (this.#sized.shape !== shape || this.#sized.text !== text) this.#sized = { shape, text, size: textSizeFor(shape, text) }
    return this.#sized.size
  }

  /** Moves the field to where the shape is drawn now. */
  #place() {
    const open = this.#open
    if (!open) return
    const { palette, scene, view } = this.#reach
    const drawn = scene.drawn(open.id)
    const shape = drawn?.shape ?? open.began
    const middle = drawn && captionMiddle(drawn)
    const { textAlign, textPlace, kind } = shape
    const textSize = this.#textSize(shape, this.#field.value)
    const box = middle ? this.#captionFrame(middle, textSize) : drawn ?? open.began
    const field = this.#field
    const isGrowing = kind === 'text' && open.isNew
    const isLeftward = goesLeft(shape, field.value, open.isNew)
    const width = isGrowing ? Math.max(widthMin, Math.min(widthMax, widthFor(field.value || ' ', textSize) + textSize)) : box.width
    const center = view.toScreen({
      x: isLeftward ? box.x + 2 * textPadding - width / 2 : box.x + width / 2, y: box.y + box.height / 2,
    })
    const inner = Math.max(textSize, width - 2 * textPadding)
    Object.assign(this.element.style, {
      width: `${width}px`, height: `${box.height}px`,
      transform: `translate(${center.x}px, ${center.y}px) rotate(${box.rotation}deg) scale(${view.scale}) translate(-50%, -50%)`,
    })
    const color = drawn ? textColor(drawn, palette.isDark) : ''
    Object.assign(field.style, {
      width: `${inner}px`, fontSize: `${textSize}px`, fontFamily: textFace, lineHeight: String(lineHeight),
      textAlign: middle ? 'center' : isLeftward ? 'right' : textAlign, color, caretColor: color, height: '0',
    })
    const height = Math.max(field.scrollHeight, lineHeight * textSize)
    const free = box.height - 2 * textPadding - height
    const top = textPlace === 'top' ? 0 : textPlace === 'bottom' ? free : free / 2
    // If the text is higher than the box, it gets the shape's colour as a background. Otherwise white letters could lie
    // on white paper. A caption gets the paper's colour, because the line has no gap for it yet.
    const isTooHigh = drawn && kind !== 'text' && shape.filled && free < 0
    const fill = middle ? 'var(--paper)' : isTooHigh ? fillTone(drawn.fill, palette.isDark) : ''
    const margin = middle ? captionMargin : textPadding
    Object.assign(field.style, { background: fill, boxShadow: fill && `0 0 0 ${margin}px ${fill}` })
    // A text that is too high extends only below the box, because its beginning must stay visible.
    Object.assign(field.style, { height: `${height}px`, top: `${textPadding + Math.max(0, top)}px`, left: `${textPadding}px` })
    this.#hint.style.transform = `scale(${1 / view.scale})`
  }
}
