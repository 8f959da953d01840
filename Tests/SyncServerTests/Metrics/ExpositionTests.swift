import Basics
import CanvasCRDT
import RoomLog
import Testing

@testable import ServerModel
@testable import SyncServer
@testable import WebSocketLoop

@Suite("Metrics") struct ExpositionTests {
  /// A log with figures of which no two are alike.
  private struct Figures: RoomLog {
    let rooms: MemoryLog
    func submit(_ requests: [LogRequest]) { rooms.submit(requests) }
    func close() { rooms.close() }

    func statistics() -> LogStatistics {
      var figures = LogStatistics()
      (figures.rooms, figures.damagedRooms, figures.queuedBytes) = (101, 102, 103)
      (figures.commits, figures.failedCommits, figures.records, figures.bytes) = (104, 105, 106, 107)
      figures.commitMicroseconds.add(2_000_000)
      for records: UInt64 in [3, 5] { figures.batchRecords.add(records) }
      var following = FollowingFigures()
      (following.rooms, following.lagRecords, following.undecidedAppends) = (108, 109, 110)
      (following.reconnects, following.roomsRefused, following.roomsSetBack) = (111, 112, 113)
      following.connections = ["reading": true, "writing": false]
      figures.following = following
      var directory = DirectoryFigures()
      (directory.databaseBytes, directory.writeAheadBytes) = (114, 115)
      directory.checkpointMicroseconds.add(4_000_000)
      figures.directory = directory
      return figures
    }
  }

  private let server = VirtualServer(
    Configuration(),
    seed: 1,
    at: Moment(wallMilliseconds: RoomBench.epoch, monotonicMilliseconds: 1_000)
  ) { hub in (Figures(rooms: MemoryLog { hub.logTold($0) }), nil) }

  /// The values of all metrics, by their names with their labels.
  private func values() -> [String: String] {
    let text = server.hub.assumeIsolated { String(decoding: $0.exposition(), as: UTF8.self) }
    var values: [String: String] = [:]
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      guard let end = line.lastIndex(of: " ") else { continue }
      values[String(line[..<end])] = String(line[line.index(after: end)...])
    }
    return values
  }

  private func expect(_ wanted: KeyValuePairs<String, String>) {
    let values = values()
    for (name, value) in wanted { #expect(values[name] == value, "\(name)") }
  }

  @Test("each figure of the log has its own name") func log() {
    expect([
      "canvas_log_rooms": "101", "canvas_log_damaged_rooms": "102", "canvas_log_queued_bytes": "103",
      "canvas_log_commits_total": "104", "canvas_log_failed_commits_total": "105", "canvas_log_records_total": "106",
      "canvas_log_bytes_total": "107", "canvas_log_followed_rooms": "108", "canvas_log_lag_records": "109",
      "canvas_log_undecided_appends": "110", "canvas_log_reconnects_total": "111", "canvas_log_refused_rooms": "112",
      "canvas_log_rooms_set_back_total": "113", "canvas_log_database_bytes": "114",
      "canvas_log_write_ahead_bytes": "115", "canvas_log_commit_seconds_sum": "2.0",
      "canvas_log_checkpoint_seconds_sum": "4.0", "canvas_log_commit_records_sum": "8.0",
      "canvas_log_connections{connection=\"reading\"}": "1", "canvas_log_connections{connection=\"writing\"}": "0",
      "canvas_log_verified_rooms_total": "0",
    ])
  }

  @Test("each of the hub's counts has its own name") func counts() {
    server.hub.assumeIsolated { hub in
      for _ in 0..<2 { hub.counts.noteConnection() }
      for _ in 0..<3 { hub.counts.noteMessage() }
      for _ in 0..<4 { hub.counts.noteWrite() }
      for _ in 0..<6 { hub.counts.noteOverlapOrder() }
      hub.counts.noteOverlapOrderDone()
      hub.counts.noteAppend(operations: 6)
      hub.counts.noteDelivery(operations: 3, connections: 4)
      for isTrue in [true, true, false] { hub.counts.noteSnapshot(isTrue: isTrue) }
      for _ in 0..<7 { hub.counts.noteDifference() }
      for status in [200, 404, 200] { hub.counts.noteRequest(status: status) }
      for code: UInt16 in [4401, 1001, 4401] { hub.counts.noteClose(code: code) }
      for word in ["http_404", "too_old", "too_old"] { hub.counts.noteRefusal(word) }
      hub.counts.noteClock(1_500, now: 1_000)
      hub.counts.noteClock(1_000, now: 3_000)
      hub.counts.noteClock(1_000, now: 1_000)
      hub.counts.noteArrivals([1_000, 4_000], now: 3_000)
      hub.counts.noteBeats(2, operations: 10, frames: 9)
    }
    expect([
      "canvas_connections_opened_total": "2", "canvas_messages_in_total": "3", "canvas_frames_total": "4",
      "canvas_overlap_orders": "5", "canvas_operations_in_total": "6", "canvas_deliveries_total": "12",
      "canvas_snapshots_total": "2", "canvas_snapshot_digest_mismatches_total": "1",
      "canvas_node_differences_total": "7", "canvas_http_requests_total{status=\"200\"}": "2",
      "canvas_http_requests_total{status=\"404\"}": "1", "canvas_closes_total{code=\"4401\"}": "2",
      "canvas_closes_total{code=\"1001\"}": "1", "canvas_refusals_total{code=\"http_404\"}": "1",
      "canvas_refusals_total{code=\"too_old\"}": "2", "canvas_refusals_total{code=\"bad_shape\"}": "0",
      "canvas_clock_ahead_seconds_sum": "0.5", "canvas_clock_ahead_seconds_count": "1",
      "canvas_clock_behind_seconds_sum": "2.0", "canvas_clock_behind_seconds_count": "2",
      "canvas_delivery_seconds_sum": "0.002", "canvas_delivery_seconds_count": "2",
      "canvas_beat_operations_sum": "10.0", "canvas_beat_operations_count": "2", "canvas_beat_frames_sum": "9.0",
    ])
  }

  @Test("what closed rooms have counted stays in the sums") func rooms() {
    var room = RoomCounts()
    for _ in 0..<2 { room.note(FanOut.Flushed(operations: 3, bytes: 50)) }
    for _ in 0..<2 { room.noteState(isNewcomer: true, isWhole: true, isMade: true) }
    for _ in 0..<3 { room.noteState(isNewcomer: true, isWhole: false, isMade: false) }
    for _ in 0..<4 { room.noteState(isNewcomer: false, isWhole: true, isMade: true) }
    for _ in 0..<5 { room.noteState(isNewcomer: false, isWhole: false, isMade: true) }
    room.noteFallenOff(8)
    for _ in 0..<9 { room.noteLeap() }
    for _ in 0..<7 { room.noteDigest() }
    for _ in 0..<6 { room.noteRefusal(.roomFull) }
    let closed = room
    server.hub.assumeIsolated { hub in for _ in 0..<2 { hub.counts.noteClosed(closed) } }
    #expect(room.beatOperations == 6)
    expect([
      "canvas_beats_total": "4", "canvas_beat_bytes_total": "200", "canvas_states_made_total": "22",
      "canvas_leaps_total": "18", "canvas_fell_off_total": "16", "canvas_digests_total": "14",
      "canvas_joins_total{state=\"whole\"}": "4", "canvas_joins_total{state=\"difference\"}": "6",
      "canvas_caught_up_total{state=\"whole\"}": "8", "canvas_caught_up_total{state=\"difference\"}": "10",
      "canvas_refusals_total{code=\"room_full\"}": "12", "canvas_rooms_open": "0", "canvas_shapes_open": "0",
    ])
  }

  @Test("space, and whether rooms can be written") func readiness() {
    #expect(values()["canvas_storage_free_bytes"] == nil)
    expect(["canvas_ready": "0", "canvas_storage_low": "0"])
    server.turn(at: Moment(wallMilliseconds: RoomBench.epoch, monotonicMilliseconds: 1_001))
    expect(["canvas_ready": "1"])
    _ = server.hub.assumeIsolated { $0.accounts.storage.note(freeBytes: 9) }
    expect(["canvas_ready": "0", "canvas_storage_free_bytes": "9", "canvas_storage_low": "1"])
    #expect(values()["process_start_time_seconds"] == "\(RoomBench.epoch / 1_000)")
  }

  @Test("the longest turn is that of this minute and the one before, with what took longest in it") func turns() {
    func turn(_ microseconds: UInt64, processor: UInt64 = 0, for party: String) -> LoopTurn {
      var turn = LoopTurn()
      (turn.microseconds, turn.processorMicroseconds) = (microseconds, processor)
      turn.note(.working, microseconds / 4)
      turn.note(.serving(party), microseconds / 2)
      return turn
    }
    func pass(_ milliseconds: UInt64) {
      server.hub.assumeIsolated {
        $0.counts.passTurns(Moment(wallMilliseconds: 0, monotonicMilliseconds: milliseconds))
      }
    }
    func longest() -> String? { values()["canvas_loop_longest_turn_seconds"] }
    pass(60_000)
    server.hub.assumeIsolated { hub in
      hub.counts.noteTurn(turn(4_000_000, processor: 1_000_000, for: "192.0.2.1"))
      hub.counts.noteTurn(turn(2_000_000, processor: 3_000_000, for: "192.0.2.2"))
    }
    expect([
      "canvas_loop_longest_turn_seconds": "4.0", "canvas_loop_busiest_turn_cpu_seconds": "3.0",
      "canvas_loop_longest_turn_step_seconds{step=\"serving\",address=\"192.0.2.1\"}": "2.0",
      "canvas_loop_turn_seconds_sum": "6.0", "canvas_loop_turn_seconds_count": "2",
    ])
    pass(119_999)
    pass(120_000)
    #expect(longest() == "4.0")
    server.hub.assumeIsolated { $0.counts.noteTurn(turn(1_000_000, for: "192.0.2.3")) }
    #expect(longest() == "4.0")
    pass(180_000)
    #expect(longest() == "1.0")
    server.hub.assumeIsolated { $0.counts.noteTurn(turn(1_000_000, for: "192.0.2.3")) }
    pass(300_000)
    #expect(longest() == "0.0")
  }

  @Test("a histogram has a line for each bound, with all that is no more, in the metric's unit") func histograms() {
    var histogram = Histogram(.counts)
    for value: UInt64 in [1, 2, 2, 200_000] { histogram.add(value) }
    var text = PrometheusText()
    text.histogram("sizes", "Sizes.", histogram, divisor: 2)
    let lines = String(decoding: text.bytes, as: UTF8.self).split(separator: "\n")
    #expect(
      lines.prefix(5) == [
        "# HELP sizes Sizes.", "# TYPE sizes histogram", "sizes_bucket{le=\"0.5\"} 1", "sizes_bucket{le=\"1.0\"} 3",
        "sizes_bucket{le=\"2.0\"} 3",
      ]
    )
    #expect(
      lines.suffix(4) == [
        "sizes_bucket{le=\"65536.0\"} 3", "sizes_bucket{le=\"+Inf\"} 4", "sizes_sum 100002.5", "sizes_count 4",
      ]
    )
  }

  @Test("the process's own figures are those of a process that runs") func process() {
    #expect(ProcessFigures.residentBytes() > 1 << 20)
    #expect(ProcessFigures.cpuMicroseconds() > 0)
    #expect((1...ProcessFigures.openFilesMax()).contains(UInt64(ProcessFigures.openFiles())))
  }
}
