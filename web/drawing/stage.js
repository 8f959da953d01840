import { Overlay } from './overlay.js'
import { Painter } from './painter.js'
import { Scene } from './scene.js'
import { Palette } from './palette.js'
import { View } from './view.js'

/**
 * Gives an app what it draws with: its view, scene, painter and overlay, on the two canvases of a stage.
 *
 * @param {import('../state/app.js').App} app @param {HTMLElement} stage holds #drawing and #overlay
 */
export function setStage(app, stage) {
  const palette = new Palette()
  app.view = new View()
  app.scene = new Scene(app)
  app.painter = new Painter(app, stage.querySelector('#drawing'), palette)
  app.overlay = new Overlay(app, stage.querySelector('#overlay'), palette)
  app.view.addEventListener('change', () => app.invalidate())
  const measure = () => app.view.resize(stage.clientWidth, stage.clientHeight, devicePixelRatio)
  measure()
  new ResizeObserver(measure).observe(stage)
  // Another screen, or the browser's own zoom: the query is for the ratio there was, so it is made anew each time.
  const watchRatio = () => matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener('change', () => {
    measure()
    watchRatio()
  }, { once: true })
  watchRatio()
  app.invalidate()
}
