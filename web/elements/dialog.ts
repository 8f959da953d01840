import { element, iconButton } from './element.js'

/**
 * Opens a dialog in the middle of the page.
 *
 * @returns the open dialog
 */
export function openDialog(title: string, ...content: (Node | string)[]): HTMLDialogElement {
  const heading = element('h2', { id: `dialog-${Date.now()}` }, title)
  const dialog: HTMLDialogElement = element('dialog', { class: 'dialog', 'aria-labelledby': heading.id },
    element('header', { class: 'row' }, element('div', { class: 'grow' }, heading),
      iconButton('close', 'Close', { onclick: () => dialog.close() })),
    element('div', { class: 'dialog-body' }, ...content))
  dialog.addEventListener('close', () => dialog.remove())
  dialog.addEventListener('keydown', (event) => event.stopPropagation())
  // A drag that selects text in a field can end outside, and is a click then too.
  let isPressed = false
  dialog.addEventListener('pointerdown', ({ target }) => { isPressed = target === dialog })
  dialog.addEventListener('click', ({ target }) => {
    if (isPressed && target === dialog) dialog.close()
  })
  document.body.append(dialog)
  dialog.showModal()
  return dialog
}

/**
 * Asks for confirmation before something is removed. Enter doesn't confirm, in case the person is still typing.
 *
 * @param yes the text of the button that confirms
 */
export function confirmed(title: string, words: string, yes: string): Promise<boolean> {
  return new Promise((resolve) => {
    let answer = false
    const dialog = openDialog(title, element('p', {}, words), element('div', { class: 'row dialog-buttons' },
      element('button', { type: 'button', class: 'button', autofocus: true, onclick: () => dialog.close() }, 'Cancel'),
      element('button', { type: 'button', class: 'button danger', onclick: () => { answer = true; dialog.close() } }, yes)))
    dialog.addEventListener('close', () => resolve(answer))
  })
}
