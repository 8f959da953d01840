// Sorting as the standard library does it, stable, in a tenth of the code. Its own is made anew for every kind of element
// and closure that is sorted, two kilobytes each time, and there are thirty of them; this is written once, on bytes.
// Declared here, these are what every `sort` and `sorted` of the module means.

/// Runs of doubling length, merged from one place into the other and back. A value can be moved to another place bit by bit.
@inline(never)
private func sort(
  _ start: UnsafeMutableRawPointer,
  count: Int,
  stride: Int,
  precedes: (UnsafeRawPointer, UnsafeRawPointer) -> Bool
) {
  let room = UnsafeMutableRawPointer.allocate(byteCount: count * stride, alignment: 8)
  var from = start
  var to = room
  var width = 1
  while width < count {
    var next = 0
    while next < count {
      var left = next
      let middle = min(next + width, count)
      var right = middle
      let end = min(middle + width, count)
      while next < end {
        let isLeft = left < middle && (right == end || !precedes(from + right * stride, from + left * stride))
        (to + next * stride).copyMemory(from: from + (isLeft ? left : right) * stride, byteCount: stride)
        if isLeft { left += 1 } else { right += 1 }
        next += 1
      }
    }
    swap(&from, &to)
    width *= 2
  }
  if from != start { start.copyMemory(from: from, byteCount: count * stride) }
  room.deallocate()
}

extension Array {
  mutating func sort(by precedes: (Element, Element) -> Bool) {
    guard count > 1 else { return }
    CanvasCore.sort(place(0), count: count, stride: MemoryLayout<Element>.stride) { left, right in
      precedes(
        left.assumingMemoryBound(to: Element.self).pointee,
        right.assumingMemoryBound(to: Element.self).pointee
      )
    }
  }

  func sorted(by precedes: (Element, Element) -> Bool) -> [Element] {
    var sorted = self
    sorted.sort(by: precedes)
    return sorted
  }
}

extension Array where Element: Comparable {
  mutating func sort() { sort { $0 < $1 } }

  func sorted() -> [Element] { sorted { $0 < $1 } }
}

extension Sequence where Element: Comparable {
  func sorted() -> [Element] {
    var sorted = Array(self)
    sorted.sort()
    return sorted
  }
}
