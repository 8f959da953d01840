// The objects that the tools use. Only the type checker reads this file.

/**
 * @typedef {object} Reach
 * @property {import('../state/shown.js').Shown} shown
 * @property {import('../state/editing.js').Editing} editing
 * @property {import('../state/permission.js').Permission} permission
 * @property {import('../state/selection.js').Selection} selection
 * @property {import('../state/groups.js').Groups} groups
 * @property {import('../state/locks.js').Locks} locks
 * @property {import('../state/tool.js').Tool} tool
 * @property {import('../state/paint.js').Paint} paint
 * @property {import('../state/play.js').Play} play
 * @property {import('../state/presence.js').Presence} presence
 * @property {import('../state/notices.js').Notices} notices
 * @property {import('../state/documents.js').Documents} documents
 * @property {import('../state/frames.js').Frames} frames
 * @property {import('../state/hand.js').Hand} hand
 * @property {import('../state/marks.js').Marks} marks
 * @property {import('../drawing/view.js').View} view
 * @property {import('../drawing/scene.js').Scene} scene
 * @property {import('../drawing/overlay.js').Overlay} overlay
 * @property {import('../drawing/handles.js').Handles} handles
 */

/**
 * Further objects, which only acts use.
 *
 * @typedef {object} ActParts
 * @property {import('./hole.js').Hole} hole
 * @property {import('./clipboard.js').Clipboard} clipboard
 * @property {import('./lifting.js').Lifting} lifting
 * @property {import('./momentum.js').Momentum} momentum
 * @property {Writing} writing
 * @property {{mayEmpty: (question: string, yes: string, count: () => number) => Promise<boolean>}} consent asks before much goes at once
 */

/**
 * Writing in a shape. `step`: the step of undo in which the shape was just made, which ends with the writing. If the
 * shape is a text that stays empty, the step is abandoned.
 *
 * @typedef {object} Writing
 * @property {boolean} isOpen
 * @property {(shape: number, how?: {isNew?: boolean, step?: import('../state/editing.js').Step | null, selectsAll?: boolean,
 *   at?: import('../core/types.js').Point}) => void} open `at`: of the stage, where the caret is wanted
 * @property {() => boolean} wait whether the next character that is typed is written in the shape that is selected
 * @property {(how?: {isPressed?: boolean}) => void} close keeps what was written; `isPressed`: because the hand has come down
 */

/** @typedef {Reach & ActParts} ActReach */

/**
 * Carries out one gesture: it gets the gesture's moves and the gesture's end. An act is one step of undo.
 *
 * @typedef {object} Act
 * @property {(gesture: never) => void} move
 * @property {(gesture: never) => void} end
 * @property {(gesture: never) => void} cancel the reason `escape` puts everything back
 * @property {(points: import('../gestures/surface.js').TrailPoint[], predicted:
 * import('../gestures/surface.js').TrailPoint[]) => void} [trail] for drawing freehand, more finely than moves
 * @property {(changes: import('../core/types.js').Changes) => void} [follow]
 * @property {{held: number[], tied: number[]}} [inHand] the shapes that it makes or changes, and those that it ties a
 * line to; by default the selection
 * @property {string} [cursor]
 * @property {import('../core/types.js').Frame | null} [frame] drawn instead of the box around what is selected
 */

export {}
