// The colours that the page offers for shapes. A colour picker offers all others.

/**
 * The name and the value of each colour. The colours are easy to tell from each other, and from the orange that marks
 * overlaps. Text can be read on all of them.
 */
export const shapeColors: [name: string, color: string][] = [
  ['Black', '#2B2A28'], ['White', '#FFFFFF'], ['Red', '#D63D33'], ['Yellow', '#F5CB45'], ['Green', '#2E8558'],
  ['Blue', '#3273D3'], ['Purple', '#8A5BD1'], ['Pink', '#EC8FB4'],
]

/** The colours that new shapes get, one after the other. All of them are visible on light paper and on dark paper. */
export const colorsInTurn = ['Yellow', 'Red', 'Blue', 'Green', 'Purple', 'Pink'].map((name) => Object.fromEntries(shapeColors)[name])
