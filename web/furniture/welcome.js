// The first moments in a room: what is seen first, and who one is.

import { within } from '../elements/element.js'
import { fitBeside } from '../drawing/surroundings.js'

/**
 * Shows the drawing where it lies elsewhere than what is seen at first, and asks once how one would like to be called.
 *
 * @param {import('../state/app.js').App} app @param {{isChosen: boolean}} me @param {import('./people.js').People} people
 */
export function welcome(app, me, people) {
  let isUntouched = true
  app.view.addEventListener('hand', () => { isUntouched = false }, { once: true })
  document.getElementById('stage').addEventListener('pointerdown', () => { isUntouched = false }, { once: true })
  const begin = () => {
    const box = app.session.bounds()
    if (isUntouched && box && !sees(app.view.visibleBox(), box)) fitBeside(app.view, box, 72)
  }
  const isKept = app.session.shapeCount > 0
  if (isKept) begin()
  const listen = ({ detail }) => {
    if (detail.type !== 'state' || detail.state !== 'live') return
    app.removeEventListener('effect', listen)
    if (!isKept) begin()
    if (me.isChosen || app.viewOnly) return
    app.say(`You are ${within(app.me.name)} here.`, {
      group: 'name', action: { words: 'Change', run: () => people.askForName() },
    })
  }
  app.addEventListener('effect', listen)
}

const sees = (view, box) =>
  box.x >= view.x && box.y >= view.y && box.x + box.width <= view.x + view.width && box.y + box.height <= view.y + view.height
