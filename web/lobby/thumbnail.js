/** About the size of a thumbnail, in CSS pixels. */
const width = 170
const height = 100
/** CSS pixels. A shape of a hundred units, drawn smaller than this, would be lost. */
const legible = 6
const usualSize = 100
const line = 4

/**
 * A picture of a drawing, made for a thumbnail: where shapes lie far apart, each would be smaller than a pixel, so each gets a
 * line of its own colour that doesn't shrink with it.
 *
 * @param {string} picture SVG as the server and the core write it @returns {string}
 */
export function thumbnailOf(picture) {
  const box = picture.match(/ viewBox="([^"]*)"/)
  const [x, y, across, down] = (box?.[1] ?? '').split(/[ ,]+/).map(Number)
  const scale = Math.min(width / across, height / down)
  if (!box || !(scale * usualSize < legible)) return picture
  // As large as the thumbnail, and a little larger, so that no line is cut off.
  const space = 2 * line
  const seen = { across: (width + space) / scale, down: (height + space) / scale }
  const view = [x - (seen.across - across) / 2, y - (seen.down - down) / 2, seen.across, seen.down].join(' ')
  const drawn = `stroke-width="${line}" vector-effect="non-scaling-stroke"`
  return picture.replace(box[0], ` viewBox="${view}"`)
    // A line that doesn't shrink would be broken into pixels.
    .replaceAll(/ stroke-dasharray="[^"]*"/g, '')
    .replaceAll(/ stroke="(#[0-9A-Fa-f]{6})" stroke-width="[^"]*"/g, ` stroke="$1" ${drawn}`)
    .replaceAll(/ fill="(#[0-9A-Fa-f]{6})"(?! stroke=)/g, ` fill="$1" stroke="$1" ${drawn}`)
}
