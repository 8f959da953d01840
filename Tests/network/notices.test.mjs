// Tests how long a notice stays.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeElements } from '../gestures/elements.mjs'

globalThis.PointerEvent = class extends Event {
  constructor(type, { pointerId }) {
    super(type)
    this.pointerId = pointerId
  }
}
Object.assign(globalThis, {
  location: { pathname: '/r/garden' }, matchMedia: () => ({ matches: false }), sessionStorage: { getItem: () => null, setItem() {} },
})

makeElements()
const { NoticeList } = await import('../../build/modules/bars/notice-list.js')
const { Notices } = await import('../../build/modules/state/notices.js')

test('a notice stays until the last finger that rests on it is lifted, and then for its whole time', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const notices = new Notices()
  const { element: list } = new NoticeList(notices)
  notices.say('Bob cleared the canvas.')
  const [notice] = list.children
  const finger = (type, pointerId) => notice.dispatchEvent(new PointerEvent(type, { pointerId }))
  const stays = (milliseconds) => {
    t.mock.timers.tick(milliseconds)
    return list.children.includes(notice)
  }
  assert.ok(stays(4_000))
  finger('pointerenter', 1)
  finger('pointerenter', 2)
  assert.ok(stays(60_000))
  finger('pointerleave', 1)
  assert.ok(stays(60_000), 'the second finger is still there')
  // The focus is a reason of its own.
  notice.dispatchEvent(new Event('focusin'))
  finger('pointerleave', 2)
  assert.ok(stays(60_000))
  notice.dispatchEvent(new Event('focusout'))
  assert.ok(stays(4_999))
  assert.ok(!stays(1))
})
