// The objects that the tools use. Only the type checker reads this file.

import type { Fitting } from '../canvas/fitted.js'
import type { Handles } from '../canvas/handles.js'
import type { Overlay } from '../canvas/overlay.js'
import type { Palette } from '../canvas/palette.js'
import type { Scene } from '../canvas/scene.js'
import type { marking } from '../canvas/text.js'
import type { View } from '../canvas/view.js'
import type { Changes, Frame, Point } from '../core/types.js'
import type { TrailPoint } from '../gestures/surface.js'
import type { Documents } from '../state/documents.js'
import type { Editing, Step } from '../state/editing.js'
import type { Frames } from '../state/frames.js'
import type { Groups } from '../state/groups.js'
import type { Hand } from '../state/hand.js'
import type { Locks } from '../state/locks.js'
import type { Marks } from '../state/marks.js'
import type { Notices } from '../state/notices.js'
import type { Paint } from '../state/paint.js'
import type { LaterPart } from '../state/parts.js'
import type { Permission } from '../state/permission.js'
import type { Play } from '../state/play.js'
import type { Presence } from '../state/presence.js'
import type { Selection } from '../state/selection.js'
import type { Shown } from '../state/shown.js'
import type { Tool } from '../state/tool.js'
import type { Duplicating } from './duplicating.js'
import type { Hole } from './hole.js'
import type { Lifting } from './lifting.js'
import type { Momentum } from './momentum.js'

export interface Reach {
  shown: Shown
  editing: Editing
  permission: Permission
  selection: Selection
  groups: Groups
  locks: Locks
  tool: Tool
  paint: Paint
  play: Play
  presence: Presence
  notices: Notices
  documents: Documents
  frames: Frames
  hand: Hand
  marks: Marks
  marking: typeof marking
  fitting: Fitting
  palette: Palette
  view: View
  scene: Scene
  overlay: Overlay
  handles: Handles
}

/** Objects that only acts use. */
interface ActParts {
  hole: Hole
  duplicating: Duplicating
  lifting: Lifting
  momentum: Momentum
  writing: Writing
  /** Asks for confirmation before many shapes are removed. */
  consent: LaterPart<{ mayEmpty: (question: string, yes: string, count: () => number) => Promise<boolean> }>
}

/**
 * Writing in a shape. `step`: the step of undo in which the shape was just made. It ends with the writing, or is
 * abandoned if a new text stays empty.
 */
export interface Writing {
  isOpen: boolean
  /** Whether a key has just ended the writing in the selected shape, so that letters may not change it. */
  hasEnded: boolean
  /** `at`: where to put the caret, relative to the stage. */
  open: (shape: number, how?: { isNew?: boolean, step?: Step | null, selectsAll?: boolean, at?: Point }) => void
  /** Whether the next typed character is written in the selected shape. */
  wait: () => boolean
  /** Saves the text and closes the field. `isPressed`: whether a press on the canvas caused this. */
  close: (how?: { isPressed?: boolean }) => void
  /**
   * Takes back a step that has made shapes. If this person may not edit now, an empty text is taken back when they may:
   * nobody can see it. Other shapes stay then.
   */
  takeBack: (shapes: number[], step: Step) => void
}

export type ActReach = Reach & ActParts

/** Carries out one gesture, from its first movement to its end. An act is one step of undo. */
export interface Act {
  move: (gesture: never) => void
  end: (gesture: never) => void
  /** Cancels the gesture. If the reason is `escape`, everything is reverted. */
  cancel: (gesture: never) => void
  /** Gets all points of the pointer's path, for freehand drawing. */
  trail?: (points: TrailPoint[], predicted: TrailPoint[]) => void
  follow?: (changes: Changes) => void
  /** The shapes that the act changes, and those to which it ties a line. */
  inHand?: { held: number[], tied: number[] }
  cursor?: string
  /** The frame to draw instead of the frame around the selection. */
  frame?: Frame | null
}
