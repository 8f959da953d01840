import CanvasCRDT

/// Two people may write in one text at the same time. Then the text that was written later stays. This type finds out
/// whether the other person lost a text, as `web/furniture/text-losses.js` does for a page.
struct TextLosses {
  struct Loss: Hashable {
    let shape: Identifier
    /// The text that this user had written.
    let text: Text
    let by: Identifier
  }

  /// Somebody who overwrites a text this soon after it was written can hardly have read it, so the text counts as lost.
  private static let soonMilliseconds: UInt64 = 15_000
  /// The upper bound on shapes whose texts are remembered.
  private static let keptMax = 500

  /// For each shape, the last text that this user wrote, and when.
  private var own: [Identifier: (text: Text, at: UInt64)] = [:]

  /// The text of a shape has changed to `text`; `nil` means that the shape is gone.
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

  /// This user's text had already been superseded when it was stored; `text` is the text that stays.
  mutating func superseded(in shape: Identifier, by actor: Identifier, leaving text: Text?) -> Loss? {
    guard let text, let written = own[shape], written.text != text else { return nil }
    own[shape] = nil
    return Loss(shape: shape, text: written.text, by: actor)
  }
}
