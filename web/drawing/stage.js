/**
 * Tells the view how large the stage is, and on how fine a screen.
 *
 * @param {import('./view.js').View} view @param {HTMLElement} stage
 */
export function measureStage(view, stage) {
  const measure = () => view.resize(stage.clientWidth, stage.clientHeight, devicePixelRatio)
  measure()
  new ResizeObserver(measure).observe(stage)
  // The ratio changes with another screen or the browser's zoom. A query is for one ratio, so each time a new one is made.
  const watchRatio = () => matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener('change', () => {
    measure()
    watchRatio()
  }, { once: true })
  watchRatio()
}
