import { colorOf } from './motion.js'

// On dark paper, black and grey would hardly be seen. So they are painted lighter there. The stored colours and exports
// stay as they are.

/** A colour whose channels differ by more than this is not a grey. */
const chromaMax = 24
/** What black becomes, as ink and as a fill. A fill stays darker, so that white letters and lines on it can be seen. */
const blackInk = 252
const blackFill = 60
const middle = 128
/** Fills that are at least this bright can be told from dark paper. */
const fillMin = 72

/** The colour in which letters, lines and outlines are painted. The darker a grey, the lighter it becomes. */
export const inkTone = (packed: number, isDark: boolean) =>
  (isDark ? toned(packed, middle, (level) => blackInk - level * (blackInk - middle) / middle) : colorOf(packed))

/** The colour in which a shape is filled. */
export const fillTone = (packed: number, isDark: boolean) =>
  (isDark ? toned(packed, fillMin, (level) => blackFill + level * (fillMin - blackFill) / fillMin) : colorOf(packed))

/**
 * @param packed 0xRRGGBB
 * @param end the brightness from which colours stay as they are
 * @param lighter the new brightness of a darker grey
 */
function toned(packed: number, end: number, lighter: (level: number) => number) {
  const channels = [packed >> 16, packed >> 8 & 255, packed & 255]
  const level = (channels[0] + channels[1] + channels[2]) / 3
  if (level >= end || Math.max(...channels) - Math.min(...channels) > chromaMax) return colorOf(packed)
  const by = Math.round(lighter(level) - level)
  return colorOf(channels.reduce((color, channel) => color << 8 | Math.min(255, channel + by), 0))
}
