// Text on a colour.

/**
 * Black or white, whichever reads better on a colour.
 *
 * @param color `#RRGGBB`
 */
export function inkOn(color: string) {
  return luminance(color) > 0.179 ? '#000000' : '#FFFFFF'
}

/**
 * How bright a colour looks: 0 for black, 1 for white.
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
