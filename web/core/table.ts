// Made by `make table` from the table of properties, Sources/CanvasCRDT/Shapes/PropertyTable.swift, and from the lists that
// Swift and TypeScript share. Not to be edited.

import { colorText } from './colors.js'

/** Kinds, in the order of their numbers. */
export const kinds = Object.freeze(['rectangle', 'roundedRectangle', 'ellipse', 'polygon', 'star', 'text', 'line', 'ink'])

/** What people read for each kind of shape. */
export const kindWords: Readonly<Record<string, string>> = Object.freeze({
  rectangle: 'Rectangle',
  roundedRectangle: 'Rounded rectangle',
  ellipse: 'Ellipse',
  polygon: 'Polygon',
  star: 'Star',
  text: 'Text',
  line: 'Line',
  ink: 'Ink',
})

/** Why a connection was closed. `unknown` is any close code that has no name here. */
export type CloseName =
  | 'normal'
  | 'going_away'
  | 'protocol_error'
  | 'wrong_frame_type'
  | 'malformed'
  | 'too_large'
  | 'bad_hello'
  | 'no_token'
  | 'forbidden'
  | 'no_such_room'
  | 'no_sign_of_life'
  | 'actor_elsewhere'
  | 'too_many'
  | 'unknown'

/** Why a message is refused. */
export type RejectCode =
  | 'bad_message'
  | 'bad_shape'
  | 'bad_stamp'
  | 'bad_property'
  | 'bad_value'
  | 'clock_ahead'
  | 'too_old'
  | 'read_only'
  | 'room_full'
  | 'too_many_ops'
  | 'rate_limited'
  | 'unavailable'
  | 'quota_exceeded'
  | 'storage_low'

/** What an effect of the core asks the page to do. */
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

/** Dashed and dotted lines: the length of a dash, and the distance from one dash to the next, in line widths. */
export const dashForms = Object.freeze({
  dashed: { part: 3, step: 5 },
  dotted: { part: 0, step: 2 },
})

/** The upper bound on the dashes in one picture. */
export const dashPartsMax = 50000

/**
 * The width at which a caption's lines break, as a multiple of the text's size, and the distance between a caption
 * and its line.
 */
export const captionWidthMax = 12
export const captionMargin = 4

/** Flags of a row that describes a shape. */
export const shapeFlag = Object.freeze({
  live: 1,
  named: 2,
  departing: 4,
  written: 8,
  led: 16,
})

/** Flags of a list of changes. */
export const changesFlag = Object.freeze({
  reset: 1,
  reordered: 2,
})

/** Flags that say which values of a box a gesture writes. */
export const placeFlag = Object.freeze({
  position: 1,
  size: 2,
  rotation: 4,
})

/** The bounds of presence: see `PresenceBound` in Sources/CanvasCRDT/Replica/PresenceState.swift. */
export const presenceBound = Object.freeze({
  shapes: 100,
  inkPoints: 120,
  inkIndex: 200000,
  inkWidth: 1000,
  typed: 800,
  laserPoints: 60,
  laserIndex: 1000000000,
  coordinate: 100000000,
  stepsPerUnit: 10,
})

/** Flags of a `hello` message: which fields it has. */
export const helloFlag = Object.freeze({
  name: 1,
  color: 2,
  actor: 4,
  since: 8,
  overlaps: 16,
  readonly: 32,
  key: 64,
  crowd: 128,
})

/** A row of the table of properties. */
export interface PropertyRow {
  name: string
  form: 'erasure' | 'kind' | 'name' | 'orderKey' | 'text' | 'choice' | 'identifier' | 'path' | 'tie' | 'flag' | 'color'
    | 'integer' | 'number' | 'pair'
  decidesOutline: boolean
  /** The names of the fields of `Shape` that hold the property's values. */
  parts: readonly (keyof Shape)[]
  min?: number
  max?: number
  /** The upper bound on the UTF-8 bytes of a name or a text. */
  bytesMax?: number
  /** The words of a choice, ordered by number. */
  words?: readonly string[]
  /** Documents contain the property only for shapes on which somebody has set it. */
  isRare?: true
  /** The value of a rare property that nobody has set. */
  standard?: unknown
  unit?: 'none' | 'degrees' | 'tenths' | 'ratio'
  inspector?: Readonly<InspectorField>
}

/** How the inspector shows a property. */
export interface InspectorField {
  label: string
  group: 'who' | 'place' | 'color' | 'form' | 'text'
  /** The kinds of shapes that the property affects. */
  kinds: readonly string[]
  slider?: { min: number, max: number, step: number }
}

/** The rows of the table of properties, ordered by bit number. */
export const properties: readonly Readonly<PropertyRow>[] = Object.freeze<PropertyRow>([
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
  { name: 'textSize', form: 'number', decidesOutline: false, parts: ['textSize'], min: 1, max: 1000, isRare: true, standard: 20, unit: 'none', inspector: { label: 'Text size', group: 'text', kinds: ['rectangle', 'roundedRectangle', 'ellipse', 'polygon', 'star', 'text', 'line'], slider: { min: 8, max: 96, step: 1 } } },
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
  { name: 'route', form: 'choice', decidesOutline: false, parts: ['route'], words: ['straight', 'curved', 'elbow'], isRare: true, standard: 'straight', inspector: { label: 'Route', group: 'form', kinds: ['line'] } },
])

/** The names of all properties, in the order that docs/PROTOCOL.md and JSON have. */
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
  'route',
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
  route: 1 << 28,
  shownName: 1 << 29,
})

/** A bit mask of the properties for which the name is true. */
export function changedBits(isWanted: (row: Readonly<PropertyRow>) => boolean): number {
  return properties.reduce((mask, row, bit) => (isWanted(row) ? mask | 1 << bit : mask), 0)
}

/** A shape that isn't deleted. Its name isn't in the row. */
export interface Shape {
  id: number
  /** The top left corner of the unrotated box; y grows downwards. */
  x: number
  y: number
  /** The sides of the unrotated box. */
  width: number
  height: number
  /** Degrees clockwise around the box's centre. */
  rotation: number
  /** The colour of the shape's area. */
  fill: string
  /** 10 is opaque. */
  alpha: number
  /** A hidden shape is not drawn and overlaps nothing. */
  visible: boolean
  /** What the shape is; without it there is no shape (M5). */
  kind: string
  /** The colour of the line around the shape. */
  stroke: string
  /** 0 is no stroke. */
  strokeWidth: number
  /** The radius of rounded corners; drawn as at most half the smaller side. */
  cornerRadius: number
  /** The number of a polygon's corners, or of a star's tips. */
  points: number
  /** A star's inner radius, divided by its outer radius. */
  innerRatio: number
  /** The text in the shape (S9). */
  text: string
  /** The height of the text's letters. */
  textSize: number
  /** How the lines of the text are aligned in the box. */
  textAlign: 'left' | 'center' | 'right'
  /** Where the text stands in the box, from top to bottom. */
  textPlace: 'top' | 'middle' | 'bottom'
  /** Whether the stroke is solid, dashed or dotted (S11). */
  dash: 'solid' | 'dashed' | 'dotted'
  /** Whether the shape's area is painted (S11). */
  filled: boolean
  /** Whether clients let nobody change the shape, except to unlock it (S12). */
  locked: boolean
  /** The group: all of its shapes are moved, scaled, turned and deleted together (S13). */
  group: number | null
  /** The points of a line or of a stroke of ink, within the box (S14, S15). */
  path: PathPoint[]
  /** What the beginning of a line is tied to (S14). */
  from: Tie | null
  /** What the end of a line is tied to (S14). */
  to: Tie | null
  /** How the beginning of a line is drawn (S14). */
  fromEnd: 'plain' | 'arrow' | 'dot'
  /** How the end of a line is drawn (S14). */
  toEnd: 'plain' | 'arrow' | 'dot'
  /** How a line leads from point to point (S17). */
  route: 'straight' | 'curved' | 'elbow'
  /** Whether the shape has a name of its own. */
  named: boolean
  /** Whether the shape has a text. */
  written: boolean
  /** Whether the shape has a path of its own. */
  led: boolean
  /** The middle of a line's caption, as fractions of the box's sides. */
  halfway: { x: number, y: number } | null
  /** The number of shapes that are drawn before this one. */
  place: number
}

/** The indices of the numbers in a row, and how many numbers there are. */
export const shapeRow = Object.freeze({
  position: 1,
  size: 3,
  flags: 31,
  changed: 32,
  by: 34,
  length: 35,
})

/** A point of a path in its box, both coordinates 0…65535, and how wide the line is there, in hundredths. */
export type PathPoint = [x: number, y: number, width: number]

/** What an end of a line is tied to, and where in that shape's box. */
export type Tie = { shape: number, x: number, y: number }

function readTie(numbers: Float64Array, at: number): Tie | null {
  return numbers[at] < 0 ? null : { shape: numbers[at], x: numbers[at + 1], y: numbers[at + 2] }
}

/** A shape without its text and its path, which are not in the row. */
export function readShape(numbers: Float64Array, at: number): Shape {
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
    textAlign: (['left', 'center', 'right'] as const)[numbers[at + 16]],
    textPlace: (['top', 'middle', 'bottom'] as const)[numbers[at + 17]],
    dash: (['solid', 'dashed', 'dotted'] as const)[numbers[at + 18]],
    filled: numbers[at + 19] === 1,
    locked: numbers[at + 20] === 1,
    group: numbers[at + 21] < 0 ? null : numbers[at + 21],
    path: [],
    from: readTie(numbers, at + 22),
    to: readTie(numbers, at + 25),
    fromEnd: (['plain', 'arrow', 'dot'] as const)[numbers[at + 28]],
    toEnd: (['plain', 'arrow', 'dot'] as const)[numbers[at + 29]],
    route: (['straight', 'curved', 'elbow'] as const)[numbers[at + 30]],
    named: (numbers[at + 31] & shapeFlag.named) !== 0,
    written: (numbers[at + 31] & shapeFlag.written) !== 0,
    led: (numbers[at + 31] & shapeFlag.led) !== 0,
    halfway: null,
    place: numbers[at + 33],
  }
}
