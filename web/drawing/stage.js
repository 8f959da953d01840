/**
 * Tells the view the size of the stage, and the device pixels of the screen.
 *
 * @param {import('./view.js').View} view @param {HTMLElement} stage
 */
export function measureStage(view, stage) {
  const measure = () => view.resize(stage.clientWidth, stage.clientHeight, devicePixelRatio)
  measure()
  new ResizeObserver(measure).observe(stage)
  // The ratio changes when the window moves to another screen, and with the browser's zoom. A query is for one ratio,
  // so a new one is made each time.
  const watchRatio = () => matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener('change', () => {
    measure()
    watchRatio()
  }, { once: true })
  watchRatio()
}
