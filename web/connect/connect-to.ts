import type { ActReach } from '../arrange/reach.js'
import { sideMiddles } from '../arrange/ties.js'
import { boxEnd, isStroke, leading, ledAnew, pointIn, setPointsOf } from '../canvas/lines.js'
import type { Shape, Tie } from '../core/table.js'
import type { Box, Point } from '../core/types.js'
import { arrowLook } from '../draw/look.js'
import { openDialog } from '../elements/dialog.js'
import { element, isComposed, setAttributes } from '../elements/element.js'
import { shapeWords, sideOf } from '../hear/words.js'

// Connects shapes by keyboard: a list of the shapes to which an arrow, or an end of a line, can be tied.

/** In units of the canvas: a shorter arrow can hardly be seen. Where shapes touch, it connects other sides. */
const shortest = 24

type ConnectReach = Pick<ActReach, 'editing' | 'locks' | 'momentum' | 'notices' | 'paint' | 'selection' | 'shown'>
type End = 'from' | 'to'
type Choice = { shape: Shape, words?: string }

/** The list shows at most this many shapes. Typing makes it shorter. */
const shownMax = 100

/** Asks to which shape the selected shape is connected, or an end of the selected line is tied. */
export function connectTo(reach: ConnectReach) {
  const { locks, selection, shown } = reach
  const shape = shown.replica.shape(selection.ids()[0])
  if (!shape) return
  if (shape.kind !== 'line') choose(reach, shape, `Connect ${shapeWords(shown.replica, shape)} to`, (to) => connect(reach, shape.id, to.id))
  else if (!locks.refuse([shape.id])) chooseEnd(reach, shape)
}

function chooseEnd(reach: ConnectReach, line: Shape) {
  const { replica } = reach.shown
  let end: End = line.to ? 'from' : 'to'
  const radio = (each: End, words: string) => {
    const tie = line[each]
    const shape = tie && replica.shape(tie.shape)
    return element('label', { class: 'check-field' }, element('input', {
      type: 'radio', name: 'end', class: 'check', checked: each === end, onclick: () => { end = each },
    }), `${words}${shape ? `, now at ${shapeWords(replica, shape)}` : ', now loose'}`)
  }
  choose(reach, line, `Tie an end of ${shapeWords(replica, line)}`, (to) => tieEnd(reach, line.id, end, to.id),
    element('fieldset', { class: 'line-ends' }, element('legend', { class: 'visually-hidden' }, 'Which end'),
      radio('from', 'Beginning'), radio('to', 'End')))
}

/** Opens a list of shapes, the nearest first. The arrow keys choose in it while the focus is in the field for typing. */
function choose({ notices, shown }: ConnectReach, origin: Shape, title: string, run: (chosen: Shape) => void, ...before: Node[]) {
  // What a line is tied to already is left out: both its ends would be tied to the same shape, or nothing would change.
  const own = new Set([origin.id, origin.from?.shape, origin.to?.shape])
  const choices: Choice[] = shown.replica.shapes()
    .filter(({ id, kind, visible }) => !own.has(id) && !isStroke(kind) && visible)
    .sort((one, other) => distance(one, origin) - distance(other, origin))
    .map((shape) => ({ shape }))
  // A drawing can have thousands of shapes, so only those that are listed or searched are put into words, and once.
  const wordsOf = (choice: Choice) => choice.words ??= shapeWords(shown.replica, choice.shape)
  const field = element('input', {
    class: 'field', type: 'text', role: 'combobox', 'aria-label': 'Text or name', 'aria-autocomplete': 'list', dir: 'auto',
    'aria-expanded': 'true', 'aria-controls': 'connect-list', autocomplete: 'off', placeholder: 'Type to find', autofocus: true,
  })
  const list = element('ul', { class: 'connect-list', id: 'connect-list', role: 'listbox', 'aria-label': 'Shapes', tabindex: '-1' })
  const count = element('p', { class: 'small-text quiet', role: 'status' })
  let found: Shape[] = []
  let at = 0
  const finish = (shape: Shape | undefined) => {
    if (!shape) return
    dialog.close()
    if (shown.replica.shapesOf([origin.id, shape.id]).length === 2) run(shape)
    else notices.say('Somebody has deleted one of them meanwhile, so nothing is connected.')
  }
  const mark = () => {
    ;[...list.children].forEach((option, index) => setAttributes(option, { 'aria-selected': String(index === at) }))
    list.children[at]?.scrollIntoView({ block: 'nearest' })
    setAttributes(field, { 'aria-activedescendant': list.children[at]?.id ?? null })
  }
  const find = () => {
    const wanted = field.value.trim().toLocaleLowerCase()
    const all = wanted === '' ? choices : choices.filter((choice) => wordsOf(choice).toLocaleLowerCase().includes(wanted))
    const listed = all.slice(0, shownMax)
    found = listed.map(({ shape }) => shape)
    list.replaceChildren(...listed.map((choice, index) => element('li', {
      class: 'menu-item', id: `connect-${index}`, role: 'option', dir: 'auto', onclick: () => finish(found[index]),
    }, `${wordsOf(choice)}, ${sideOf(choice.shape, origin).replace(' of', '')}`)))
    count.textContent = all.length === 0 ? 'No shape has that.'
      : all.length > shownMax ? `${shownMax} of ${all.length.toLocaleString()} shapes. Type to find others.` : ''
    at = 0
    mark()
  }
  field.addEventListener('input', find)
  field.addEventListener('keydown', (event) => {
    if (isComposed(event)) return
    const to = new Map([['ArrowDown', at + 1], ['ArrowUp', at - 1]]).get(event.key)
    if (event.key === 'Enter') finish(found[at])
    else if (to !== undefined && found.length > 0) {
      at = (to + found.length) % found.length
      mark()
    } else return
    event.preventDefault()
  })
  const dialog = openDialog(title, ...before, field, list, count)
  field.focus()
  find()
}

const distance = (one: Box, other: Box) => Math.hypot(
  one.x + one.width / 2 - other.x - other.width / 2, one.y + one.height / 2 - other.y - other.height / 2)

/** The middles of a shape's sides: the ties to them, and where these are on the canvas. */
const sidesOf = (shape: Shape): { tie: Tie, at: Point }[] => sideMiddles.map(([x, y]) => {
  const tie = { shape: shape.id, x: Math.round(x * boxEnd), y: Math.round(y * boxEnd) }
  return { tie, at: pointIn(shape, tie.x, tie.y) }
})

const apart = (one: Point, other: Point) => Math.hypot(one.x - other.x, one.y - other.y)

/** Draws an arrow between the nearest sides of two shapes. Somebody may have deleted one of them meanwhile. */
function connect({ editing, momentum, paint, selection, shown }: ConnectReach, first: number, last: number) {
  const [one, other] = [first, last].map((id) => shown.replica.shape(id))
  if (!one || !other) return
  momentum.settle()
  const pairs = sidesOf(one).flatMap((from) => sidesOf(other).map((to) => [from, to]))
  const seen = pairs.filter(([from, to]) => apart(from.at, to.at) >= shortest)
  const [from, to] = (seen.length > 0 ? seen : pairs)
    .reduce((best, each) => (apart(each[0].at, each[1].at) < apart(best[0].at, best[1].at) ? each : best))
  const added = editing.edit((replica) => replica.add({
    kind: 'line', ...leading([from.at, to.at]), ...arrowLook(paint), from: from.tie, to: to.tie,
  }))
  if (added) selection.set([added.shape])
}

/** Ties an end of a line to the side of a shape that is nearest to the line's next point. */
function tieEnd({ editing, locks, momentum, shown }: ConnectReach, line: number, end: End, to: number) {
  const [before, shape] = [line, to].map((id) => shown.replica.shape(id))
  if (!before || !shape || locks.refuse([line])) return
  momentum.settle()
  const points = setPointsOf(before)
  const [index, next] = end === 'from' ? [0, 1] : [points.length - 1, points.length - 2]
  const side = sidesOf(shape).reduce((best, each) => (apart(each.at, points[next]) < apart(best.at, points[next]) ? each : best))
  points[index] = side.at
  const others = points.filter((point) => point !== side.at)
  editing.edit((replica) => replica.edit([{ shape: line, set: { ...ledAnew(before, points, others), [end]: side.tie } }]))
}
