import type { View } from '../canvas/view.js'
import type { Editing } from '../state/editing.js'
import type { Groups } from '../state/groups.js'
import type { Names } from '../state/names.js'
import type { Selection } from '../state/selection.js'
import type { Setting } from '../state/setting.js'
import type { Shown } from '../state/shown.js'
import { Announcer } from './announcer.js'
import { Reading } from './reading.js'

/** What people need who don't see the drawing. It is loaded with a person's first action. */
export function makeHearing(
  reach: {
    shown: Shown, editing: Editing, selection: Selection, groups: Groups, names: Names, othersRead: Setting, view: View,
  },
) {
  new Announcer(reach)
  return new Reading(reach)
}
