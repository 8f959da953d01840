import type { View } from './view.js'

/** Tells the view the size of the stage, and how many device pixels a CSS pixel has. */
export function measureStage(view: View, stage: HTMLElement) {
  const measure = () => view.resize(stage.clientWidth, stage.clientHeight, devicePixelRatio)
  measure()
  new ResizeObserver(measure).observe(stage)
  // The ratio changes with the browser's zoom, and when the window moves to another screen. A media query tests for one
  // ratio only, so each change needs a new query.
  const watchRatio = () => matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener('change', () => {
    measure()
    watchRatio()
  }, { once: true })
  watchRatio()
}
