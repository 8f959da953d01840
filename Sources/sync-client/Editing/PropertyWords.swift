import CanvasCRDT

/// `fill=#FF0000 size=100,80`: a shape's properties as people type them.
enum PropertyWords {
  /// What `--help` says of them.
  static let help =
    "Properties are written name=value: name=Sun position=45,44 size=100,80 rotation=30 fill=#FFCC00 stroke=#000000 "
    + "strokeWidth=2 alpha=8 (1 to 10) visible=no kind=star points=6 innerRatio=0.5 cornerRadius=12 z=V."

  static func read(_ words: [String]) throws(ClientFailure) -> Properties {
    guard !words.isEmpty else { return Properties() }
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("ops")
    writer.beginArray()
    writer.beginObject()
    writer.member("shape", Identifier(packed: 0)!)
    writer.key("set")
    writer.beginObject()
    for word in words { try write(word, to: &writer) }
    writer.endObject()
    writer.endObject()
    writer.endArray()
    writer.endObject()
    // Reading it as a message checks the values.
    do throws(MessageError) {
      return try JSONEncoding.decodeSubmission(writer.finish()).operations[0].set
    } catch {
      throw .usage(error.words.string)
    }
  }

  private static func write(_ word: String, to writer: inout JSONWriter) throws(ClientFailure) {
    let halves = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard halves.count == 2 else { throw .usage("\(word): a property is written name=value, such as fill=#FFCC00") }
    let (name, value) = (halves[0], halves[1])
    guard let property = Property.allCases.first(where: { Text($0.wireName).string == name }), property != .deleted
    else { throw .usage("\(name): there is no such property. \(help)") }
    writer.key(text: Text(name))
    switch property {
    case .kind, .name, .fill, .stroke, .z: writer.value(text: Text(value))
    case .visible:
      switch value {
      case "yes", "true", "1": writer.value(true)
      case "no", "false", "0": writer.value(false)
      default: throw .usage("\(word): visible is yes or no")
      }
    case .position, .size:
      let numbers = value.split { $0 == "," || $0 == "x" || $0 == "×" }.map { Double($0) }
      guard numbers.count == 2, let first = numbers[0], let second = numbers[1], first.isFinite, second.isFinite else {
        throw .usage("\(word): \(name) is two numbers, such as \(name)=100,80")
      }
      writer.beginArray()
      writer.value(first)
      writer.value(second)
      writer.endArray()
    case .rotation, .strokeWidth, .alpha, .cornerRadius, .points, .innerRatio, .deleted:
      guard let number = Double(value), number.isFinite else { throw .usage("\(word): \(name) is a number") }
      writer.value(number)
    }
  }
}
