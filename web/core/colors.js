// Colours: numbers within the core, `#RRGGBB` everywhere else.

/** @param {number} packed 0xRRGGBB @returns {string} `#E4572E` */
export function colorText(packed) {
  return '#' + packed.toString(16).padStart(6, '0').toUpperCase()
}

/** @param {unknown} text `#E4572E` @returns {number} NaN if it is no colour */
export function colorNumber(text) {
  return typeof text === 'string' && /^#[0-9A-Fa-f]{6}$/.test(text) ? parseInt(text.slice(1), 16) : NaN
}
