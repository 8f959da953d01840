// The colours that tell people apart.

/**
 * These colours are dark enough for white initials. They are easy to tell from each other, and from the orange that
 * marks overlaps.
 */
export const personColors = [
  '#B42318', '#BE185D', '#86198F', '#6D28D9', '#4338CA', '#1D4ED8', '#0369A1', '#0F766E', '#15803D', '#4D7C0F',
]
