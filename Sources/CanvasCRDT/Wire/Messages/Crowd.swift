// The message with the number of people in a room. It is for rooms in which not everyone is sent as a peer.

// MARK: - JSON

extension JSONEncoding {
  static func writeCrowd(_ people: UInt64, to writer: inout JSONWriter) {
    writer.key("people")
    writer.value(people)
  }

  static func readCrowd(from reader: inout JSONReader) throws(MessageError) -> UInt64 {
    var people: UInt64?
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "people": people = try reader.wholeNumber().orField("people must be a whole number")
      default: reader.passOver()
      }
    }
    return try people.orField("crowd must tell how many people there are")
  }
}
