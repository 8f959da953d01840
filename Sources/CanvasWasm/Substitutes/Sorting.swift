// How arrays are sorted in a page. The standard library's sort is several long functions, of which the compiler makes a
// copy for each type of element and each order: 59 KB in the page's core. This one is short. It is stable as well, and
// as fast.

extension Array {
  mutating func sort(by precedes: (Element, Element) -> Bool) {
    guard indices.dropFirst().contains(where: { precedes(self[$0], self[$0 - 1]) }) else { return }
    var merged: [Element] = []
    merged.reserveCapacity(count)
    var length = 1
    while length < count {
      for start in stride(from: 0, to: count, by: 2 * length) {
        let middle = Swift.min(start + length, count)
        let end = Swift.min(middle + length, count)
        var (left, right) = (start, middle)
        for _ in start..<end {
          if right == end || left < middle && !precedes(self[right], self[left]) {
            merged.append(self[left])
            left += 1
          } else {
            merged.append(self[right])
            right += 1
          }
        }
      }
      swap(&self, &merged)
      merged.removeAll(keepingCapacity: true)
      length *= 2
    }
  }

  func sorted(by precedes: (Element, Element) -> Bool) -> [Element] {
    var sorted = self
    sorted.sort(by: precedes)
    return sorted
  }
}

extension Array where Element: Comparable {
  mutating func sort() { sort(by: <) }

  func sorted() -> [Element] { sorted(by: <) }
}
