// Made by `make table` from the table of properties, Sources/CanvasCRDT/Shapes/PropertyTable.swift, and from the lists that
// Swift and JavaScript share. Not to be edited.

import { colorText } from './colors.js'

/** Kinds, in the order of their numbers. */
export const kinds = Object.freeze(['rectangle', 'roundedRectangle', 'ellipse', 'polygon', 'star', 'text', 'line', 'ink'])

/**
 * Kinds as people call them.
 *
 * @type {Readonly<Record<string, string>>}
 */
export const kindWords = Object.freeze({
  rectangle: 'Rectangle',
  roundedRectangle: 'Rounded rectangle',
  ellipse: 'Ellipse',
  polygon: 'Polygon',
  star: 'Star',
  text: 'Text',
  line: 'Line',
  ink: 'Ink',
})

/**
 * Why a connection ends. A number without a name of its own is `unknown`.
 *
 * @typedef {'normal'
 *   | 'going_away'
 *   | 'protocol_error'
 *   | 'wrong_frame_type'
 *   | 'malformed'
 *   | 'too_large'
 *   | 'bad_hello'
 *   | 'no_token'
 *   | 'forbidden'
 *   | 'no_such_room'
 *   | 'no_sign_of_life'
 *   | 'actor_elsewhere'
 *   | 'too_many'
 *   | 'unknown'} CloseName
 */

/**
 * Why a message is refused.
 *
 * @typedef {'bad_message'
 *   | 'bad_shape'
 *   | 'bad_stamp'
 *   | 'bad_property'
 *   | 'bad_value'
 *   | 'clock_ahead'
 *   | 'too_old'
 *   | 'read_only'
 *   | 'room_full'
 *   | 'too_many_ops'
 *   | 'rate_limited'
 *   | 'unavailable'
 *   | 'quota_exceeded'
 *   | 'storage_low'} RejectCode
 */

/** What the core asks of the page or tells it. */
export const effectKind = Object.freeze({
  json: 0,
  connect: 1,
  send: 2,
  disconnect: 3,
  wake: 4,
  unsent: 5,
  values: 6,
})

/** The ways to move shapes within the drawing order. */
export const reordering = Object.freeze({
  front: 0,
  back: 1,
  forward: 2,
  backward: 3,
  toIndex: 4,
})

/** The shapes that the core makes at random. */
export const randomShape = Object.freeze({
  square: 0,
  any: 1,
  circle: 2,
})

/** The encodings that a session speaks. */
export const wireEncoding = Object.freeze({
  json: 0,
  binary: 1,
})

/** Broken lines: how long a part is and how far it is to the next, in widths of the line. */
export const dashForms = Object.freeze({
  dashed: { part: 3, step: 5 },
  dotted: { part: 0, step: 2 },
})

/** How many parts the broken lines of one picture may have. */
export const dashPartsMax = 50000

/** Flags of a row that tells of a shape. */
export const shapeFlag = Object.freeze({
  live: 1,
  named: 2,
  departing: 4,
  written: 8,
  led: 16,
})

/** Flags of what changed. */
export const changesFlag = Object.freeze({
  reset: 1,
  reordered: 2,
})

/** Flags of a place in a gesture: what is meant. */
export const placeFlag = Object.freeze({
  position: 1,
  size: 2,
  rotation: 4,
})

/** Flags of a hello. */
export const helloFlag = Object.freeze({
  name: 1,
  color: 2,
  actor: 4,
  since: 8,
  overlaps: 16,
  readonly: 32,
  key: 64,
  crowd: 128,
  vocabulary: 256,
})

/**
 * A row of the table of properties.
 *
 * @typedef {object} PropertyRow
 * @property {string} name
 * @property {'erasure' | 'kind' | 'name' | 'orderKey' | 'text' | 'choice' | 'identifier' | 'path' | 'tie' | 'flag' | 'color' | 'integer' | 'number' | 'pair'} form
 * @property {boolean} decidesOutline
 * @property {readonly (keyof Shape)[]} parts what its numbers are called in a shape
 * @property {number} [min]
 * @property {number} [max]
 * @property {number} [bytesMax] of a name or a text
 * @property {readonly string[]} [words] of a choice, in the order of their numbers
 * @property {true} [isRare] documents have it only where somebody has set it
 * @property {unknown} [standard] what it is where nobody has set it, if it is rare
 * @property {'none' | 'degrees' | 'tenths' | 'ratio'} [unit]
 * @property {Readonly<InspectorField>} [inspector]
 */

/**
 * How the inspector shows a property.
 *
 * @typedef {object} InspectorField
 * @property {string} label
 * @property {'who' | 'place' | 'color' | 'form' | 'text'} group
 * @property {readonly string[]} kinds the shapes for which it means anything
 * @property {{min: number, max: number, step: number}} [slider]
 */

/**
 * In the order of their bits.
 *
 * @type {readonly Readonly<PropertyRow>[]}
 */
export const properties = Object.freeze(/** @type {PropertyRow[]} */ ([
  { name: 'position', form: 'pair', decidesOutline: true, parts: ['x', 'y'], min: -10000000, max: 10000000, inspector: { label: 'Position', group: 'place', kinds: kinds } },
  { name: 'size', form: 'pair', decidesOutline: true, parts: ['width', 'height'], min: 1, max: 1000000, inspector: { label: 'Size', group: 'place', kinds: kinds } },
  { name: 'rotation', form: 'number', decidesOutline: true, parts: ['rotation'], min: -1000000, max: 1000000, unit: 'degrees', inspector: { label: 'Rotation', group: 'place', kinds: kinds } },
  { name: 'fill', form: 'color', decidesOutline: false, parts: ['fill'], inspector: { label: 'Fill', group: 'color', kinds: ['rectangle', 'roundedRectangle', 'ellipse', 'polygon', 'star', 'text'] } },
  { name: 'alpha', form: 'integer', decidesOutline: false, parts: ['alpha'], min: 1, max: 10, unit: 'tenths', inspector: { label: 'Opacity', group: 'color', kinds: kinds, slider: { min: 1, max: 10, step: 1 } } },
  { name: 'visible', form: 'flag', decidesOutline: true, parts: ['visible'], inspector: { label: 'Visible', group: 'place', kinds: kinds } },
  { name: 'deleted', form: 'erasure', decidesOutline: false, parts: [] },
  { name: 'kind', form: 'kind', decidesOutline: true, parts: ['kind'], inspector: { label: 'Shape', group: 'who', kinds: kinds } },
  { name: 'name', form: 'name', decidesOutline: false, parts: [], bytesMax: 128, inspector: { label: 'Name', group: 'who', kinds: kinds } },
  { name: 'z', form: 'orderKey', decidesOutline: false, parts: [] },
  { name: 'stroke', form: 'color', decidesOutline: false, parts: ['stroke'], inspector: { label: 'Outline', group: 'color', kinds: ['rectangle', 'roundedRectangle', 'ellipse', 'polygon', 'star', 'line', 'ink'] } },
  { name: 'strokeWidth', form: 'number', decidesOutline: false, parts: ['strokeWidth'], min: 0, max: 1000, unit: 'none', inspector: { label: 'Outline width', group: 'color', kinds: ['rectangle', 'roundedRectangle', 'ellipse', 'polygon', 'star', 'line', 'ink'], slider: { min: 0, max: 40, step: 0.5 } } },
  { name: 'cornerRadius', form: 'number', decidesOutline: true, parts: ['cornerRadius'], min: 0, max: 1000000, unit: 'none', inspector: { label: 'Corner radius', group: 'form', kinds: ['roundedRectangle'], slider: { min: 0, max: 200, step: 1 } } },
  { name: 'points', form: 'integer', decidesOutline: true, parts: ['points'], min: 3, max: 64, unit: 'none', inspector: { label: 'Points', group: 'form', kinds: ['polygon', 'star'], slider: { min: 3, max: 64, step: 1 } } },
  { name: 'innerRatio', form: 'number', decidesOutline: true, parts: ['innerRatio'], min: 0.05, max: 1, unit: 'ratio', inspector: { label: 'Inner radius', group: 'form', kinds: ['star'], slider: { min: 0.05, max: 1, step: 0.01 } } },
  { name: 'text', form: 'text', decidesOutline: false, parts: ['text'], bytesMax: 4096, isRare: true, standard: '' },
  { name: 'textSize', form: 'number', decidesOutline: false, parts: ['textSize'], min: 1, max: 1000, isRare: true, standard: 20, unit: 'none', inspector: { label: 'Text size', group: 'text', kinds: ['rectangle', 'roundedRectangle', 'ellipse', 'polygon', 'star', 'text'], slider: { min: 8, max: 96, step: 1 } } },
  { name: 'textAlign', form: 'choice', decidesOutline: false, parts: ['textAlign'], words: ['left', 'center', 'right'], isRare: true, standard: 'center', inspector: { label: 'Alignment', group: 'text', kinds: ['rectangle', 'roundedRectangle', 'ellipse', 'polygon', 'star', 'text'] } },
  { name: 'textPlace', form: 'choice', decidesOutline: false, parts: ['textPlace'], words: ['top', 'middle', 'bottom'], isRare: true, standard: 'middle', inspector: { label: 'Vertical', group: 'text', kinds: ['rectangle', 'roundedRectangle', 'ellipse', 'polygon', 'star', 'text'] } },
  { name: 'dash', form: 'choice', decidesOutline: false, parts: ['dash'], words: ['solid', 'dashed', 'dotted'], isRare: true, standard: 'solid', inspector: { label: 'Line', group: 'color', kinds: ['rectangle', 'roundedRectangle', 'ellipse', 'polygon', 'star', 'line', 'ink'] } },
  { name: 'filled', form: 'flag', decidesOutline: false, parts: ['filled'], isRare: true, standard: true, inspector: { label: 'Filled', group: 'color', kinds: ['rectangle', 'roundedRectangle', 'ellipse', 'polygon', 'star'] } },
  { name: 'locked', form: 'flag', decidesOutline: false, parts: ['locked'], isRare: true, standard: false, inspector: { label: 'Locked', group: 'place', kinds: kinds } },
  { name: 'group', form: 'identifier', decidesOutline: false, parts: ['group'], isRare: true, standard: '' },
  { name: 'path', form: 'path', decidesOutline: false, parts: ['path'], isRare: true, standard: [] },
  { name: 'from', form: 'tie', decidesOutline: false, parts: ['from'], isRare: true, standard: [] },
  { name: 'to', form: 'tie', decidesOutline: false, parts: ['to'], isRare: true, standard: [] },
  { name: 'fromEnd', form: 'choice', decidesOutline: false, parts: ['fromEnd'], words: ['plain', 'arrow', 'dot'], isRare: true, standard: 'plain', inspector: { label: 'Begins', group: 'form', kinds: ['line'] } },
  { name: 'toEnd', form: 'choice', decidesOutline: false, parts: ['toEnd'], words: ['plain', 'arrow', 'dot'], isRare: true, standard: 'plain', inspector: { label: 'Ends', group: 'form', kinds: ['line'] } },
]))

/** Their names in the order of docs/PROTOCOL.md, which JSON has too. */
export const propertiesInOrder = Object.freeze([
  'kind',
  'name',
  'position',
  'size',
  'rotation',
  'fill',
  'stroke',
  'strokeWidth',
  'alpha',
  'visible',
  'z',
  'cornerRadius',
  'points',
  'innerRatio',
  'text',
  'textSize',
  'textAlign',
  'textPlace',
  'dash',
  'filled',
  'locked',
  'group',
  'path',
  'from',
  'to',
  'fromEnd',
  'toEnd',
  'deleted',
])

/**
 * What a new name may not have: characters that can't be seen, or that set the direction of the text around them, the joiners
 * and selectors only where they do nothing (S8).
 */
export const hiddenCharacters = /[\u00ad\u034f\u061c\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b\u200e-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|(?<![\u0600-\u200b\u200e-\u{10ffff}])[\u200c\u200d]|[\u200c\u200d](?![\u0600-\u200b\u200e-\u{10ffff}])|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]|(?<![\u00a9-\u{10ffff}])[\ufe00-\ufe0f](?!\u20e3)/u

/** `changed & changedBit.position`: whether a shape was moved. */
export const changedBit = Object.freeze({
  position: 1 << 0,
  size: 1 << 1,
  rotation: 1 << 2,
  fill: 1 << 3,
  alpha: 1 << 4,
  visible: 1 << 5,
  deleted: 1 << 6,
  kind: 1 << 7,
  name: 1 << 8,
  z: 1 << 9,
  stroke: 1 << 10,
  strokeWidth: 1 << 11,
  cornerRadius: 1 << 12,
  points: 1 << 13,
  innerRatio: 1 << 14,
  text: 1 << 15,
  textSize: 1 << 16,
  textAlign: 1 << 17,
  textPlace: 1 << 18,
  dash: 1 << 19,
  filled: 1 << 20,
  locked: 1 << 21,
  group: 1 << 22,
  path: 1 << 23,
  from: 1 << 24,
  to: 1 << 25,
  fromEnd: 1 << 26,
  toEnd: 1 << 27,
  shownName: 1 << 28,
})

/**
 * The bits of the properties of which this is true.
 *
 * @param {(row: Readonly<PropertyRow>) => boolean} isWanted
 * @returns {number}
 */
export function changedBits(isWanted) {
  return properties.reduce((mask, row, bit) => (isWanted(row) ? mask | 1 << bit : mask), 0)
}

/**
 * A live shape, all but its name.
 *
 * @typedef {object} Shape
 * @property {number} id
 * @property {number} x the top left corner of the unrotated box; y grows downwards
 * @property {number} y the top left corner of the unrotated box; y grows downwards
 * @property {number} width the sides of the unrotated box
 * @property {number} height the sides of the unrotated box
 * @property {number} rotation degrees clockwise around the box's centre
 * @property {string} fill the colour of its area
 * @property {number} alpha 10 is opaque
 * @property {boolean} visible a hidden shape is not drawn and overlaps nothing
 * @property {string} kind what the shape is; without it there is no shape (M5)
 * @property {string} stroke the colour of the line around it
 * @property {number} strokeWidth 0 is no stroke
 * @property {number} cornerRadius cut to half the smaller side when drawn
 * @property {number} points a polygon's corners, a star's tips
 * @property {number} innerRatio a star's inner radius over its outer
 * @property {string} text what is written in it (S9)
 * @property {number} textSize the height of its letters
 * @property {'left' | 'center' | 'right'} textAlign where the lines of its text stand across the box
 * @property {'top' | 'middle' | 'bottom'} textPlace where its text stands in the box, from top to bottom
 * @property {'solid' | 'dashed' | 'dotted'} dash how its stroke is broken (S11)
 * @property {boolean} filled whether its area is painted (S11)
 * @property {boolean} locked whether clients keep it from being changed by mistake (S12)
 * @property {number | null} group shapes with the same one are moved, scaled, turned and deleted as one (S13)
 * @property {PathPoint[]} path where a line leads, or a stroke of ink was drawn, in its box (S14, S15)
 * @property {Tie | null} from what the beginning of a line is tied to (S14)
 * @property {Tie | null} to what the end of a line is tied to (S14)
 * @property {'plain' | 'arrow' | 'dot'} fromEnd how the beginning of a line is drawn (S14)
 * @property {'plain' | 'arrow' | 'dot'} toEnd how the end of a line is drawn (S14)
 * @property {boolean} named it has a name of its own
 * @property {boolean} written there is text in it
 * @property {boolean} led it has a path of its own
 * @property {number} place how many are drawn before it
 */

/** The indices of the numbers in a row, and how many numbers there are. */
export const shapeRow = Object.freeze({
  position: 1,
  size: 3,
  flags: 30,
  changed: 31,
  by: 33,
  length: 34,
})

/**
 * A point of a path in its box, both coordinates 0…65535, and how wide the line is there, in hundredths.
 *
 * @typedef {[x: number, y: number, width: number]} PathPoint
 */

/**
 * What an end of a line is tied to, and where in that shape's box.
 *
 * @typedef {{shape: number, x: number, y: number}} Tie
 */

/** @param {Float64Array} numbers @param {number} at @returns {Tie | null} */
function readTie(numbers, at) {
  return numbers[at] < 0 ? null : { shape: numbers[at], x: numbers[at + 1], y: numbers[at + 2] }
}

/**
 * A shape without its text and its path, which are not in the row.
 *
 * @param {Float64Array} numbers @param {number} at @returns {Shape}
 */
export function readShape(numbers, at) {
  return {
    id: numbers[at],
    x: numbers[at + 1],
    y: numbers[at + 2],
    width: numbers[at + 3],
    height: numbers[at + 4],
    rotation: numbers[at + 5],
    fill: colorText(numbers[at + 6]),
    alpha: numbers[at + 7],
    visible: numbers[at + 8] === 1,
    kind: kinds[numbers[at + 9]],
    stroke: colorText(numbers[at + 10]),
    strokeWidth: numbers[at + 11],
    cornerRadius: numbers[at + 12],
    points: numbers[at + 13],
    innerRatio: numbers[at + 14],
    text: '',
    textSize: numbers[at + 15],
    textAlign: /** @type {const} */ (['left', 'center', 'right'])[numbers[at + 16]],
    textPlace: /** @type {const} */ (['top', 'middle', 'bottom'])[numbers[at + 17]],
    dash: /** @type {const} */ (['solid', 'dashed', 'dotted'])[numbers[at + 18]],
    filled: numbers[at + 19] === 1,
    locked: numbers[at + 20] === 1,
    group: numbers[at + 21] < 0 ? null : numbers[at + 21],
    path: /** @type {PathPoint[]} */ ([]),
    from: readTie(numbers, at + 22),
    to: readTie(numbers, at + 25),
    fromEnd: /** @type {const} */ (['plain', 'arrow', 'dot'])[numbers[at + 28]],
    toEnd: /** @type {const} */ (['plain', 'arrow', 'dot'])[numbers[at + 29]],
    named: (numbers[at + 30] & shapeFlag.named) !== 0,
    written: (numbers[at + 30] & shapeFlag.written) !== 0,
    led: (numbers[at + 30] & shapeFlag.led) !== 0,
    place: numbers[at + 32],
  }
}
