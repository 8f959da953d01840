import { Setting } from './setting.js'

/**
 * Whether the page has Play: the black hole, random squares and circles, random colours, shapes that glide on, and what
 * a triple tap or a shake removes. Without Play the page is a board to work on.
 */
export class Play extends Setting {
  constructor() { super('canvas.play') }
}
