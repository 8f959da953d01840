// The colours of shapes before anybody asks for a finer choice.

/**
 * Their names and colours: easy to tell from each other and from the orange of overlaps, on light and on dark paper.
 *
 * @type {[name: string, color: string][]}
 */
export const shapeColors = [
  ['Black', '#2B2A28'], ['White', '#FFFFFF'], ['Red', '#E0483E'], ['Yellow', '#F5CB45'], ['Green', '#3FA36B'],
  ['Blue', '#3F7FD9'], ['Purple', '#8A5BD1'], ['Pink', '#EC8FB4'],
]
