import { Setting } from './setting.js'

/**
 * Whether the page has what is only play: the black hole, squares and circles by chance, colours by chance, shapes that
 * glide on, and what a triple tap or a shake removes. Without it the page is a board to work on.
 */
export class Play extends Setting {
  constructor() { super('canvas.play') }
}
