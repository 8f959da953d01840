// Tests what a page does in a browser that lets it store nothing.

import assert from 'node:assert/strict'
import { test } from 'node:test'

const dataset = {}
globalThis.document = { documentElement: { dataset } }
Object.defineProperty(globalThis, 'localStorage', { get() { throw new Error('denied') } })
const { appearance, setAppearance } = await import('../../build/modules/storage/appearance.js')
const { isName, rememberedIdentity, rememberIdentity } = await import('../../build/modules/storage/identity.js')
const { lastTab, rememberTab } = await import('../../build/modules/panels/last-tab.js')
const { Paint } = await import('../../build/modules/state/paint.js')
const { Setting } = await import('../../build/modules/state/setting.js')

test('what cannot be stored is as nobody has chosen it yet, and a choice lasts as long as the page', () => {
  const setting = new Setting('canvas.marks')
  const paint = new Paint(new Setting('canvas.play'), {})
  const heard = []
  for (const each of [setting, paint]) each.on('change', () => heard.push(each))
  assert.deepEqual([setting.isOn, paint.fill, appearance(), lastTab()], [true, null, 'system', ''])
  setting.toggle()
  paint.choose({ fill: '#123456' })
  paint.choose({ strokeWidth: 8 })
  setAppearance('dark')
  assert.deepEqual([setting.isOn, paint.fill, paint.strokeWidth, appearance()], [false, '#123456', 8, 'dark'])
  setAppearance('system')
  assert.equal(appearance(), 'system')
  assert.deepEqual(heard, [setting, paint, paint])
  rememberTab('layers')
  const identity = rememberedIdentity()
  assert.ok(isName(identity.name) && !identity.isChosen)
  rememberIdentity(identity)
})
