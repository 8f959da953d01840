/** In CSS pixels: the approximate width of a thumbnail. */
const width = 170
const height = 100
/** In CSS pixels: if a shape of a hundred units were drawn smaller than this, it would be hard to see. */
const legible = 6
const usualSize = 100
const line = 4

/**
 * A picture of a drawing, changed for a thumbnail. If shapes lie far apart, each would be smaller than a pixel. So each
 * shape gets a line in its own colour whose width stays the same however small the picture is.
 *
 * @param picture SVG as the server and the core write it
 */
export function thumbnailOf(picture: string): string {
  const box = picture.match(/ viewBox="([^"]*)"/)
  const [x, y, across, down] = (box?.[1] ?? '').split(/[ ,]+/).map(Number)
  const scale = Math.min(width / across, height / down)
  if (!box || !(scale * usualSize < legible)) return picture
  // The view box gets a margin, so that no such line is cut off.
  const space = 2 * line
  const seen = { across: (width + space) / scale, down: (height + space) / scale }
  const view = [x - (seen.across - across) / 2, y - (seen.down - down) / 2, seen.across, seen.down].join(' ')
  const drawn = `stroke-width="${line}" vector-effect="non-scaling-stroke"`
  return picture.replace(box[0], ` viewBox="${view}"`)
    // A broken line with such a constant width would fall apart into pixels, so it is made solid.
    .replaceAll(/ stroke-dasharray="[^"]*"/g, '')
    .replaceAll(/ stroke="(#[0-9A-Fa-f]{6})" stroke-width="[^"]*"/g, ` stroke="$1" ${drawn}`)
    .replaceAll(/ fill="(#[0-9A-Fa-f]{6})"(?! stroke=)/g, ` fill="$1" stroke="$1" ${drawn}`)
}
