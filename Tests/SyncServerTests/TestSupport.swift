import TestSupport

@testable import SyncServer

/// Under this name in every file of these tests.
typealias SeededGenerator = TestSupport.SeededGenerator

extension Framing {
  /// What these tests put in the place of WebSocket frames.
  static let byLength = Framing { message, _, bytes in LengthFraming.append(message, to: &bytes) }
}
