import { counted } from '../basics/words.js'
import { element } from '../elements/element.js'
import type { Connection } from '../network/connection.js'
import type { Shown } from '../state/shown.js'
import type { Doables } from '../tools/actions.js'
import { card } from './card.js'

// What the page says to somebody who isn't in the room: the room was deleted, or they can't enter it. And the field for
// another token, for somebody whose token ends.

type Reach = { connection: Connection, shown: Shown, actions: Doables }

/** @param code why the server closed the connection */
export function outsideCard(
  kind: string, code: string | undefined, { connection, shown, actions, askForName }: Reach & { askForName: () => unknown },
) {
  switch (kind) {
    case 'deleted': return deleted({ connection, shown, actions })
    case 'token': return askForToken(connection)
    case 'next token': return askForNextToken(connection)
    case 'crowded': return card('person', 'There’s no space right now',
      'This room, or the server, has as many people as it can take. We keep trying, and open the room as soon as somebody leaves.',
      element('div', { class: 'row card-buttons' },
        element('button', { type: 'button', class: 'button', onclick: () => connection.hurry() }, 'Try now'), toAllRooms()))
    case 'elsewhere': return card('person', 'You’re in this room in another place',
      'Your token is for one person, who can be here only once. What you changed here is kept.',
      element('button', { type: 'button', class: 'button primary', onclick: () => connection.start() }, 'Go on here'))
    default: return code === 'bad_hello' ? helloRefused(askForName) : card('warning', refusedTitle, code === 'forbidden'
      ? 'You don’t have access. Ask the person who gave you the link.'
      : 'This page and the server don’t work together. Reloading the page may help.', toAllRooms())
  }
}

const toAllRooms = () => element('a', { class: 'button', href: '/' }, 'All rooms')

const refusedTitle = 'You can’t enter this room'

const helloRefused = (askForName: () => unknown) => card('warning', refusedTitle,
  'Your name may be too long for this server. If a shorter one doesn’t help, reload the page.',
  element('div', { class: 'row card-buttons' },
    element('button', { type: 'button', class: 'button primary', onclick: askForName }, 'Change name'), toAllRooms()))

function deleted({ connection, shown, actions }: Reach) {
  const count = shown.replica.shapeCount
  return card('trash', 'This room was deleted', count > 0
    ? `This page still has what you last saw: ${counted(count, 'shape')}.` : 'Nothing is left of it.',
  element('div', { class: 'row card-buttons' },
    count > 0 && element('button', {
      type: 'button', class: 'button', onclick: () => actions.saveJSON.run(),
    }, 'Export as JSON'),
    element('button', { type: 'button', class: 'button', onclick: () => connection.start() }, 'Start over'),
    toAllRooms()))
}

function askForToken(connection: Connection) {
  return card('link', 'This room needs a token', 'You got it with the link, or from whoever runs the server.',
    tokenForm('Token', 'Enter', ['large', ''], (token) => connection.enterWith(token)))
}

function askForNextToken(connection: Connection) {
  return tokenForm('New token', 'Go on', ['', 'small'], (token) => connection.bringToken(token))
}

function tokenForm(label: string, words: string, [fieldSize, buttonSize]: [string, string], take: (token: string) => void) {
  const field = element('input', {
    class: `field ${fieldSize}`, type: 'password', placeholder: label, 'aria-label': label, autocomplete: 'off', required: true,
  })
  return element('form', { class: 'row', onsubmit: (event) => {
    event.preventDefault()
    take(field.value.trim())
  } }, field, element('button', { type: 'submit', class: `button ${buttonSize} primary` }, words))
}
