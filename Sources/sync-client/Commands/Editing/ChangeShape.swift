import CanvasCRDT

/// The commands `set`, `move`, `rename`, `hide` and `delete`, which edit existing shapes.
enum ChangeShape {
  static let commands = [set, move, rename, hide, delete]

  private static let shapesAre = "SHAPE is its identifier or the name that it shows."

  private static let set = Command(
    name: "set",
    group: .editing,
    operands: [.one("ROOM"), .one("SHAPE"), .several("PROPERTY=VALUE")],
    summary: "set properties of a shape",
    details: [
      PropertyWords.help, LineWords.help,
      "With another position, size or rotation, a line is tied to nothing any more. With another text or text size, a box "
        + "that is too small for the text grows, unless the size is given.",
      shapesAre,
    ],
    examples: ["set demo Sun fill=tomato alpha=50%", "set demo afy-kw5-t7o visible=yes", "set demo Arrow to=Sun"]
  ) { invocation in
    let operands = invocation.arguments.operands
    var words = Array(operands.dropFirst(2))
    let lineWords = try LineWords(takingFrom: &words)
    var set = try PropertyWords.read(words)
    let editor = try await RoomEditor.open(invocation)
    let shape = try await editor.find(operands[1])
    let before = editor.canvas[shape]
    try await lineWords.write(to: &set, over: before, in: editor)
    if let before {
      if lineWords.isEmpty, !set.assigned.intersection([.position, .size, .rotation]).isEmpty {
        set = editor.canvas.loosened(before).overwritten(by: set)
      }
      set.fitBox(of: before.properties)
    }
    return try await editor.commit([ShapeEdit(shape: shape, set: set)])
  }

  private static let move = Command(
    name: "move",
    group: .editing,
    operands: [.one("ROOM"), .one("SHAPE"), .one("X"), .one("Y")],
    summary: "move a shape: the top left corner of its box",
    details: [shapesAre],
    options: [Option("--by", nil, "move by X and Y, not to them")],
    examples: ["move demo Sun 100 80", "move demo Sun -10 0 --by"]
  ) { invocation in
    let operands = invocation.arguments.operands
    guard let x = Double(operands[2]), let y = Double(operands[3]), x.isFinite, y.isFinite else {
      throw ClientFailure.usage("\(operands[2]) \(operands[3]): X and Y are numbers")
    }
    var set = try PropertyWords.read(["position=\(operands[2]),\(operands[3])"])
    let editor = try await RoomEditor.open(invocation)
    let shape = try await editor.find(operands[1])
    if let before = editor.canvas[shape] {
      let loosened = editor.canvas.loosened(before)
      if invocation.arguments.has("--by") {
        let start = before.properties.overwritten(by: loosened).position
        set.position = Point(x: start.x + x, y: start.y + y)
      }
      set = loosened.overwritten(by: set)
    }
    return try await editor.commit([ShapeEdit(shape: shape, set: set)])
  }

  private static let rename = Command(
    name: "rename",
    group: .editing,
    operands: [.one("ROOM"), .one("SHAPE"), .one("NAME")],
    summary: "give a shape another name",
    details: [shapesAre, "If another shape has the name already, a number is added where it is shown."],
    examples: ["rename demo 'Ellipse t7o' Sun"]
  ) { invocation in
    let operands = invocation.arguments.operands
    let set = try PropertyWords.read(["name=\(operands[2])"])
    let editor = try await RoomEditor.open(invocation)
    return try await editor.commit([ShapeEdit(shape: try await editor.find(operands[1]), set: set)])
  }

  private static let hide = Command(
    name: "hide",
    group: .editing,
    operands: [.one("ROOM"), .several("SHAPE")],
    summary: "hide shapes, or show them again",
    details: [shapesAre, "A hidden shape overlaps nothing."],
    options: [Option("--show", nil, "show them again")],
    examples: ["hide demo Sun Moon", "hide demo Sun --show"]
  ) { invocation in
    let editor = try await RoomEditor.open(invocation)
    let shapes = try await editor.find(invocation.arguments.operands.dropFirst())
    var set = Properties()
    set.visible = invocation.arguments.has("--show")
    return try await editor.commit(shapes.map { ShapeEdit(shape: $0, set: set) })
  }

  private static let delete = Command(
    name: "delete",
    group: .editing,
    operands: [.one("ROOM"), .several("SHAPE")],
    summary: "delete shapes",
    details: [shapesAre],
    examples: ["delete demo Sun 'Star t7o'"]
  ) { invocation in
    let editor = try await RoomEditor.open(invocation)
    let shapes = try await editor.find(invocation.arguments.operands.dropFirst())
    return try await editor.commit { replica, now in replica.delete(shapes, at: now) }
  }
}

extension Properties {
  /// These values, with those of `other` in place of them.
  fileprivate func overwritten(by other: Properties) -> Properties {
    var values = self
    values.take(other.assigned, from: other)
    return values
  }

  /// Makes the shape's box large enough for its text if these properties change how large that is, unless they give it a
  /// size. The box of a text that was made for its letters alone is measured anew. A position that these properties give
  /// stays.
  fileprivate mutating func fitBox(of before: Properties) {
    guard !assigned.intersection([.text, .textSize]).isEmpty, !assigned.contains(.size) else { return }
    let after = before.overwritten(by: self)
    let given = assigned.contains(.position) ? position : nil
    if after.kind == .text, before.size == TextBox.size(of: before.text, textSize: before.textSize) {
      setSize(TextBox.size(of: after.text, textSize: after.textSize), of: after)
    } else if !after.kind.isStroke, !after.text.isEmpty {
      growBox(of: after)
    }
    if let given { position = given }
  }
}
