// Sorting as the standard library does it, stable, in a quarter of the code. Its own is made anew for every kind of
// element and closure that is sorted, two kilobytes each time, and there are thirty of them. Declared here, these are
// what every `sort` and `sorted` of the module means.

extension Array {
  /// Runs of doubling length, merged from one array into the other.
  mutating func sort(by precedes: (Element, Element) -> Bool) {
    var other = self
    var width = 1
    while width < count {
      var start = 0
      while start < count {
        var left = start
        let middle = Swift.min(start + width, count)
        var right = middle
        let end = Swift.min(middle + width, count)
        while start < end {
          if left < middle, right == end || !precedes(self[right], self[left]) {
            other[start] = self[left]
            left += 1
          } else {
            other[start] = self[right]
            right += 1
          }
          start += 1
        }
      }
      swap(&self, &other)
      width *= 2
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
}

extension Sequence where Element: Comparable {
  func sorted() -> [Element] {
    var sorted = Array(self)
    sorted.sort()
    return sorted
  }
}
