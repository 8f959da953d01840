/// The names of rooms: 1 to 64 characters of `A-Za-z0-9._-`. The names `.` and `..` are not allowed, because clients
/// resolve them as parts of a path.
enum RoomName {
  static let words = "a room's name is 1 to 64 of A-Z a-z 0-9 . _ -, and not . or .."

  static func isValid(_ name: String) -> Bool { canBegin(with: name) && name != "." && name != ".." }

  /// Whether a room's name can begin with this text.
  static func canBegin(with text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }
}
