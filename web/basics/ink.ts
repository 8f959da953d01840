// Which colour a text has, so that it can be read on a given background.

/**
 * Returns black or white, whichever contrasts more with a background colour.
 *
 * @param color `#RRGGBB`
 */
export function inkOn(color: string) {
  return luminance(color) > 0.179 ? '#000000' : '#FFFFFF'
}

/**
 * How bright a colour looks, from 0 for black to 1 for white.
 *
 * @param color `#RRGGBB`
 */
export function luminance(color: string) {
  const channel = (at: number) => {
    const value = parseInt(color.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}
