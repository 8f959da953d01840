/** About the size of a thumbnail, in CSS pixels. */
const width = 170
const height = 100
/** CSS pixels. If a shape of a hundred units were drawn smaller than this, it would be hard to see. */
const legible = 6
const usualSize = 100
const line = 4

/**
 * A picture of a drawing, prepared for a thumbnail: if shapes lie far apart, each would be smaller than a pixel. So
 * each gets a line in its own colour that doesn't shrink with it.
 *
 * @param {string} picture SVG as the server and the core write it @returns {string}
 */
export function thumbnailOf(picture) {
  const box = picture.match(/ viewBox="([^"]*)"/)
  const [x, y, across, down] = (box?.[1] ?? '').split(/[ ,]+/).map(Number)
  const scale = Math.min(width / across, height / down)
  if (!box || !(scale * usualSize < legible)) return picture
  // As large as the thumbnail plus a margin, so that no line is cut off.
  const space = 2 * line
  const seen = { across: (width + space) / scale, down: (height + space) / scale }
  const view = [x - (seen.across - across) / 2, y - (seen.down - down) / 2, seen.across, seen.down].join(' ')
  const drawn = `stroke-width="${line}" vector-effect="non-scaling-stroke"`
  return picture.replace(box[0], ` viewBox="${view}"`)
    // If a line that doesn't shrink were broken, it would fall apart into pixels.
    .replaceAll(/ stroke-dasharray="[^"]*"/g, '')
    .replaceAll(/ stroke="(#[0-9A-Fa-f]{6})" stroke-width="[^"]*"/g, ` stroke="$1" ${drawn}`)
    .replaceAll(/ fill="(#[0-9A-Fa-f]{6})"(?! stroke=)/g, ` fill="$1" stroke="$1" ${drawn}`)
}
