import type { View } from './view.js'

/** Tells the view how large the stage is, and how many device pixels the screen has for a CSS pixel. */
export function measureStage(view: View, stage: HTMLElement) {
  const measure = () => view.resize(stage.clientWidth, stage.clientHeight, devicePixelRatio)
  measure()
  new ResizeObserver(measure).observe(stage)
  // The ratio changes when the window moves to another screen, and with the browser's zoom. A media query tests for one
  // ratio, so a new query is made after each change.
  const watchRatio = () => matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener('change', () => {
    measure()
    watchRatio()
  }, { once: true })
  watchRatio()
}
