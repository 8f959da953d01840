import type { Reach } from '../arrange/reach.js'
import { shapesAt } from '../canvas/hits.js'
import type { Point } from '../core/types.js'
import { openDialog } from '../elements/dialog.js'
import { element } from '../elements/element.js'

// The addresses in texts (S18), which open in a new tab. This tab has no access to the page, and its site isn't told
// where the address was found.

const safely = ['noopener', 'noreferrer']

export const openAddress = (address: string) => { open(address, '_blank', safely.join()) }

/** The addresses in the text of the selected shape; none if several shapes are selected. */
export function selectedAddresses({ selection, shown: { replica } }: Pick<Reach, 'selection' | 'shown'>): string[] {
  const shape = selection.size === 1 ? replica.shape(selection.ids()[0]) : null
  return shape?.written ? replica.addresses(shape.text) : []
}

/** Opens the address in the text of the selected shape. If there are several, a dialog lists them. */
export function openSelected(reach: Pick<Reach, 'selection' | 'shown'>) {
  const addresses = selectedAddresses(reach)
  if (addresses.length === 1) return openAddress(addresses[0])
  const rel = safely.join(' ')
  openDialog('Open link', ...addresses.map((href) => element('a', { href, target: '_blank', rel }, href)))
}

/** The address that the topmost shape shows at a point of the stage. */
export function addressAt({ marking: { marks }, scene, shown, view }: Reach, point: Point) {
  const place = view.toCanvas(point)
  const drawn = marks && scene.drawn(shapesAt({ scene, shown }, place, 0)[0])
  return drawn ? marks.addressAt(drawn, place) : null
}
