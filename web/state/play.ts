import { Setting } from './setting.js'

/**
 * The setting for playful features: the black hole; random squares, circles and colours; shapes that glide on after
 * they are thrown; and removing shapes by a triple tap or by shaking the phone.
 */
export class Play extends Setting {
  constructor() { super('canvas.play') }
}
