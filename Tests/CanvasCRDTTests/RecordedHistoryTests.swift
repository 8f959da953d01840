import CanvasCRDT
import Foundation
import TestSupport
import Testing

/// `CANVAS_WRITE_GOLDEN=1 swift test --filter RecordedHistoryTests` records the histories again. Review the files, and
/// commit them together with the changed code.
@Suite("Recorded histories, which core.wasm replays too", .serialized)
struct RecordedHistoryTests {
  static let seeds: [(name: String, seed: UInt64, encoding: WireEncoding)] = [
    ("binary-1", 0x11, .binary), ("json-1", 0x21, .json),
  ]

  @Test("A replica does and shows what it did and showed when the history was recorded", arguments: seeds)
  func replays(name: String, seed: UInt64, encoding: WireEncoding) throws {
    let file = RecordedHistory.folder.appendingPathComponent("\(name).ndjson")
    if ProcessInfo.processInfo.environment["CANVAS_WRITE_GOLDEN"] == "1" {
      var recorder = try #require(HistoryRecorder(seed: seed, encoding: encoding))
      try FileManager.default.createDirectory(at: RecordedHistory.folder, withIntermediateDirectories: true)
      try recorder.record().write(to: file)
    }
    let history = try RecordedHistory(file: file)
    var player = try #require(HistoryPlayer(history.beginning))
    for (number, event) in history.events.enumerated() {
      let played = try player.play(event).event
      try #require(played == event, "event \(number + 1), \(event.event), of \(name)")
    }
  }

  @Test("The histories contain what is worth comparing", arguments: seeds)
  func isWorthComparing(name: String, seed: UInt64, encoding: WireEncoding) throws {
    let history = try RecordedHistory(file: RecordedHistory.folder.appendingPathComponent("\(name).ndjson"))
    let pictures = history.events.compactMap { $0.picture }
    #expect(pictures.count > 5)
    #expect(pictures.contains { $0.overlaps.count > 5 })
    #expect(pictures.contains { picture in picture.names.contains { $0.hasSuffix(" 3") } })
    #expect(history.events.contains { $0.event == "undo" && !$0.sent.isEmpty })
    #expect(history.events.contains { $0.digest != $0.confirmedDigest })
    #expect(history.events.contains { $0.unsent > 1 })
  }
}
