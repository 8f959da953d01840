import CanvasCRDT

/// Detects that somebody has overwritten this user's text. If two people write in one text at the same time, the later
/// text wins. `web/write/text-losses.ts` does the same for the page.
struct TextLosses {
  struct Loss: Hashable {
    let shape: Identifier
    /// What this user had written.
    let text: Text
    let by: Identifier
  }

  /// A text that somebody overwrites this soon counts as lost, because they can hardly have read it.
  private static let soonMilliseconds: UInt64 = 15_000
  /// At most this many texts are remembered.
  private static let keptMax = 500

  /// For each shape, the text that this user wrote last, and when.
  private var own: [Identifier: (text: Text, at: UInt64)] = [:]

  /// Notes a shape's new text. `nil` means that the shape is gone. Returns this user's text if it has just been lost.
  mutating func follow(_ shape: Identifier, text: Text?, by origin: ChangeOrigin, at now: UInt64) -> Loss? {
    switch origin {
    case .own:
      own[shape] = nil
      guard let text, !text.isEmpty else { return nil }
      own[shape] = (text, now)
      if own.count > TextLosses.keptMax, let oldest = own.min(by: { $0.value.at < $1.value.at })?.key {
        own[oldest] = nil
      }
    case .remote(let actor):
      guard let written = own[shape], now &- written.at < TextLosses.soonMilliseconds else { return nil }
      return superseded(in: shape, by: actor, leaving: text)
    case .rejection, .room: break
    }
    return nil
  }

  /// Notes that a newer text, `text`, had already won on the server when this user's text arrived.
  mutating func superseded(in shape: Identifier, by actor: Identifier, leaving text: Text?) -> Loss? {
    guard let text, let written = own[shape], written.text != text else { return nil }
    own[shape] = nil
    return Loss(shape: shape, text: written.text, by: actor)
  }
}
