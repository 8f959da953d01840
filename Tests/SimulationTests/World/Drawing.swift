@testable import CanvasCRDT

/// A canvas as a person sees it: the drawn values, including defaults, and the names that people gave to shapes.
struct Drawing {
  private var shapes: [Identifier: Properties] = [:]

  init(_ canvas: Canvas) { for shape in canvas.shapes { shapes[shape.id] = shape.properties } }

  /// Describes the first difference. `nil` if the two drawings are alike.
  func difference(from other: Drawing) -> String? {
    for (shape, here) in shapes.sorted(by: { $0.key < $1.key }) {
      guard let there = other.shapes[shape] else { return "\(shape) is gone" }
      for property in Property.allCases where property != .deleted && property != .name {
        if !here.agrees(on: property, with: there) { return "\(property) of \(shape) is another" }
      }
      let names = (Drawing.ownName(here), Drawing.ownName(there))
      if names.0 != names.1 { return "\(shape) had the name \(names.0 ?? "–"), and now has \(names.1 ?? "–")" }
    }
    return other.shapes.keys.filter { shapes[$0] == nil }.min().map { "\($0) has appeared" }
  }

  private static func ownName(_ properties: Properties) -> String? {
    properties.assigned.contains(.name) && !properties.name.isEmpty ? properties.name.string : nil
  }
}
