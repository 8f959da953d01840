import CanvasCRDT

/// The outcome of an edit.
struct EditReport: Sendable {
  /// A value without effect: when the server stored it, another value with a newer stamp had already replaced it.
  struct Loss: Hashable, Sendable {
    let shape: ShapeName
    let property: Property
    let by: Person
    let at: Stamp
  }

  let room: RoomName
  /// How many operations the edit has.
  let count: Int
  /// Whether a later undo knows of the edit.
  let isInHistory: Bool
  /// The part of the edit that the server has not answered. `nil` if everything is answered.
  let withdrawal: Withdrawal?
  /// What happened to the shapes of which nothing was refused.
  let events: [RoomEvent]
  let rejected: [RejectedEdit]
  let superseded: [Loss]

  /// How many of the edit's operations the server has stored. A long edit is sent in several messages, and the server
  /// may refuse some of them.
  private var stored: Int { count - rejected.count - (withdrawal?.unanswered ?? 0) }

  var exitCode: ExitCode { withdrawal?.exitCode ?? (rejected.isEmpty ? .success : .failed) }

  /// Why an edit is refused as read-only. Commands never ask for read-only access, so it is one of these two reasons.
  static let readOnly = "this token is read-only, or an operator has locked the room"

  func write(to invocation: Invocation) {
    let output = invocation.output
    if invocation.isJSON { output.write { write(to: &$0) } } else { writeLines(to: output) }
    var told: Set<Text> = []
    for edit in rejected where told.insert(edit.message).inserted {
      let why = edit.code == .readOnly ? EditReport.readOnly : edit.message.string
      let code = Text(edit.code.wireName).string
      let again = edit.origin == .edit ? "" : "; you can try it again"
      output.complain(code, "refused: \(why) (\(code))\(again)")
    }
    if let withdrawal { output.complain(withdrawal.code, withdrawal.words) }
    if let first = rejected.first, stored > 0 {
      let way = first.origin == .edit && isInHistory ? "; undo takes back what is stored" : ""
      output.notice("partly_stored", "\(stored) of the edit's \(count) operations are stored\(way)")
    }
  }

  private func writeLines(to output: Output) {
    if rejected.isEmpty, withdrawal == nil {
      EventLines(output: output, isReport: true).write(events)
      if events.isEmpty, superseded.isEmpty { output.write("nothing changed") }
    }
    for loss in superseded {
      let property = Text(loss.property.wireName).string
      output.write(
        "\(loss.shape.name.string.printable): \(property) was replaced by a newer value "
          + "of \(loss.by.shownName.printable) (\(loss.at.text))"
      )
    }
  }

  private func write(to line: inout JSONWriter) {
    line.member("room", room.text)
    line.member("acknowledged", withdrawal == nil && rejected.isEmpty)
    line.member("operations", count)
    line.member("stored", stored)
    line.member("unanswered", withdrawal?.unanswered ?? 0)
    line.write(withdrawal == nil ? events : [], as: "events")
    line.key("superseded")
    line.beginArray()
    for loss in superseded {
      line.beginObject()
      line.member("shape", loss.shape.id)
      line.member("property", Text(loss.property.wireName))
      line.key("by")
      line.value(loss.at)
      line.endObject()
    }
    line.endArray()
    line.key("refused")
    line.beginArray()
    for edit in rejected {
      line.beginObject()
      line.member("shape", edit.operation.shape)
      line.member("code", Text(edit.code.wireName))
      line.member("message", edit.message)
      line.endObject()
    }
    line.endArray()
  }
}
