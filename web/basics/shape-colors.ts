// The colours that the page offers for shapes before a person asks for a finer choice.

/**
 * The names and values of these colours. They are easy to tell from each other and from the orange of overlaps, and
 * text on each of them is readable.
 */
export const shapeColors: [name: string, color: string][] = [
  ['Black', '#2B2A28'], ['White', '#FFFFFF'], ['Red', '#D63D33'], ['Yellow', '#F5CB45'], ['Green', '#2E8558'],
  ['Blue', '#3273D3'], ['Purple', '#8A5BD1'], ['Pink', '#EC8FB4'],
]

/** The colours that new shapes get in turn. All of them are visible on light paper and on dark. */
export const colorsInTurn = ['Yellow', 'Red', 'Blue', 'Green', 'Purple', 'Pink'].map((name) => Object.fromEntries(shapeColors)[name])
