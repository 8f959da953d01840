// Converts colours: the core uses numbers, everything else uses `#RRGGBB`.

/**
 * @param packed 0xRRGGBB
 * @returns `#E4572E`
 */
export function colorText(packed: number): string {
  return '#' + packed.toString(16).padStart(6, '0').toUpperCase()
}

/**
 * @param text such as `#E4572E`
 * @returns NaN if the text is not a colour
 */
export function colorNumber(text: unknown): number {
  return typeof text === 'string' && /^#[0-9A-Fa-f]{6}$/.test(text) ? parseInt(text.slice(1), 16) : NaN
}
