import { captionMiddle } from '../canvas/captions.js'
import { fitting } from '../canvas/fitted.js'
import { Handles } from '../canvas/handles.js'
import { Overlay } from '../canvas/overlay.js'
import { Painter } from '../canvas/painter.js'
import { Palette } from '../canvas/palette.js'
import { Regions } from '../canvas/regions.js'
import { Scene } from '../canvas/scene.js'
import { measureStage } from '../canvas/stage.js'
import { directionOf, lettersOf, marking, measuringIn, placedLines, textFace, wordsOf, wordWidth, wrapped } from '../canvas/text.js'
import { View } from '../canvas/view.js'
import { Marks } from '../state/marks.js'
import { bundle } from './bundle.js'
import type { State } from './state.js'

export type Drawing = ReturnType<typeof makeDrawing>

/** Makes the parts that draw on the stage. */
export function makeDrawing(stage: HTMLElement, state: State) {
  const { documents, shown, presence, frames, parts, tool } = state
  const palette = new Palette()
  const view = new View()
  const scene = new Scene(shown, presence, frames)
  const marks = new Marks()
  const seen = { ...state, palette, view, scene, marks }
  const regions = new Regions(seen)
  const handles = new Handles(seen)
  measureStage(view, stage)
  const painter = new Painter(canvasIn(stage, 'drawing'), { ...seen, regions })
  const overlay = new Overlay(canvasIn(stage, 'overlay'), { ...seen, handles })
  const texts = parts.later(
    () => bundle('/canvas/others-writing.js') as Promise<typeof import('../canvas/others-writing.js')>,
    ({ OthersWriting }) => overlay.setTexts(new OthersWriting(seen)))
  const lasers = parts.later(
    () => bundle('/canvas/lasers.js') as Promise<typeof import('../canvas/lasers.js')>,
    ({ Lasers }) => overlay.setLasers(new Lasers(seen)))
  const textMarks = parts.later(async () => {
    if (!await documents.prepare()) throw new Error('exchange.wasm is missing')
    return bundle('/canvas/text-marks.js') as Promise<typeof import('../canvas/text-marks.js')>
  }, ({ TextMarks }) => {
    marking.marks = new TextMarks(shown, {
      captionMiddle, directionOf, lettersOf, measuringIn, placedLines, textFace, wordsOf, wordWidth, wrapped,
    })
    scene.touchAll()
    frames.request()
  })
  marking.want = () => textMarks.prepare()
  presence.on('change', () => {
    if (presence.people().some(({ writing }) => writing !== null)) texts.prepare()
    if (presence.people().some(({ laser }) => laser !== null)) lasers.prepare()
  })
  tool.on('change', (name) => { if (name === 'laser') lasers.get() })
  const tellView = () => presence.setView(view.toldBox)
  view.on('change', tellView)
  tellView()
  return { palette, view, scene, marks, handles, painter, overlay, marking, fitting }
}

function canvasIn(stage: HTMLElement, id: string) {
  const found = stage.querySelector(`#${id}`)
  if (!(found instanceof HTMLCanvasElement)) throw new Error(`the page has no canvas #${id}`)
  return found
}
