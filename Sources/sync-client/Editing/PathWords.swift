import CanvasCRDT

/// Points as users type them.
enum PathWords {
  /// Reads points such as `10,10 200,50`. `nil` if the text is anything else, has too many points for a path, or has a
  /// number out of range.
  static func points(_ value: String, within range: ClosedRange<Double>) -> [Point]? {
    var points: [Point] = []
    for word in value.split(separator: " ") {
      let numbers = word.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
      guard numbers.count == 2, let x = numbers[0], let y = numbers[1], range.contains(x), range.contains(y) else {
        return nil
      }
      points.append(Point(x: x, y: y))
    }
    return Path.counts.contains(points.count) ? points : nil
  }

  /// Reads positions within a shape's box such as `0,0 0.5,1`, and writes them as the value of `path`.
  static func write(_ value: String, to writer: inout JSONWriter) throws(ClientFailure) {
    guard value != "none" else {
      writer.beginArray()
      writer.endArray()
      return
    }
    guard let points = points(value, within: 0...1) else {
      let words = "path is 2 to 1024 places of the shape's box, each from 0 to 1, such as path='0,0 0.5,1 1,0'"
      throw .usage("path=\(value): \(words)")
    }
    writer.beginArray()
    for point in points {
      let place = BoxPlace(shareX: point.x, shareY: point.y)
      writer.beginArray()
      writer.value(Int(place.x))
      writer.value(Int(place.y))
      writer.endArray()
    }
    writer.endArray()
  }
}
