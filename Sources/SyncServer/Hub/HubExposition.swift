import CanvasCRDT
import CommandWords
import RoomLog
import WebSocketLoop

// `/metrics`.

extension Hub {
  func exposition() -> [UInt8] {
    var text = PrometheusText()
    writeReadiness(to: &text)
    writeConnections(to: &text)
    writeTimes(to: &text)
    writeRooms(to: &text)
    writeLog(to: &text)
    writeProcess(to: &text)
    return text.bytes
  }

  private func writeReadiness(to text: inout PrometheusText) {
    text.metric(
      "canvas_build_info",
      .gauge,
      "The version that runs.",
      by: "version",
      [Release.version: 1]
    )
    text.metric(
      "canvas_ready",
      .gauge,
      "Whether rooms can be read and written.",
      storageFault == nil && !isStopping ? 1 : 0
    )
    if let free = accounts.storage.freeBytes {
      text.metric("canvas_storage_free_bytes", .gauge, "Space that is left on the disk of the rooms.", free)
    }
    text.metric(
      "canvas_storage_low",
      .gauge,
      "Whether the disk has less space than the reserve, so that only deletions are stored.",
      accounts.storage.isLow ? 1 : 0
    )
  }

  private func writeConnections(to text: inout PrometheusText) {
    let loopCounts = loop.counts
    text.metric("canvas_connections", .gauge, "WebSocket connections that are open.", sessions.count)
    text.metric(
      "canvas_connections_opened_total",
      .counter,
      "WebSocket connections that came.",
      counts.connectionsOpened
    )
    text.metric("canvas_http_connections", .gauge, "HTTP connections that are open.", loopCounts.httpConnections)
    text.metric(
      "canvas_http_requests_total",
      .counter,
      "HTTP requests by status.",
      by: "status",
      Dictionary(uniqueKeysWithValues: counts.requests.map { (String($0.key), $0.value) })
    )
    text.metric(
      "canvas_closes_total",
      .counter,
      "Connections that the server closed, by code.",
      by: "code",
      Dictionary(uniqueKeysWithValues: counts.closes.map { (String($0.key), $0.value) })
    )
    text.metric("canvas_received_bytes_total", .counter, "Bytes that came.", loopCounts.bytesReceived)
    text.metric("canvas_sent_bytes_total", .counter, "Bytes that went.", loopCounts.bytesSent)
    text.metric("canvas_stalls_total", .counter, "How often a line was full.", loopCounts.stalls)
    text.metric("canvas_messages_in_total", .counter, "Messages that came.", counts.messagesIn)
    text.metric("canvas_operations_in_total", .counter, "Operations that went to the log.", counts.operationsIn)
    text.metric(
      "canvas_deliveries_total",
      .counter,
      "Operations times the connections that they were for.",
      counts.operationsOut
    )
  }

  private func writeTimes(to text: inout PrometheusText) {
    text.histogram(
      "canvas_delivery_seconds",
      "From an operation's arrival to the beat that brought it.",
      counts.deliveryMicroseconds,
      divisor: 1e6
    )
    text.histogram(
      "canvas_loop_turn_seconds",
      "How long one turn of the loop took. Everything else waits meanwhile.",
      counts.turnMicroseconds,
      divisor: 1e6
    )
    text.metric(
      "canvas_loop_longest_turn_seconds",
      .gauge,
      "The longest turn of the loop in the last minute or two.",
      seconds: counts.longestTurn.turn.microseconds
    )
    let (step, party) = counts.longestTurn.turn.longestStep?.words ?? ("none", "")
    text.metric(
      "canvas_loop_longest_turn_step_seconds",
      .gauge,
      "What took longest in that turn, and for which address if it was one's request or message.",
      with: ["step": step, "address": party],
      seconds: counts.longestTurn.turn.longestStepMicroseconds
    )
    text.metric(
      "canvas_loop_busiest_turn_cpu_seconds",
      .gauge,
      "The most processor time that one turn of the loop took in the last minute or two.",
      seconds: counts.busiestTurn.turn.processorMicroseconds
    )
    text.histogram(
      "canvas_clock_ahead_seconds",
      "How far writers' clocks are ahead.",
      counts.clockAheadMilliseconds,
      divisor: 1e3
    )
    text.histogram(
      "canvas_clock_behind_seconds",
      "How far writers' stamps are behind.",
      counts.clockBehindMilliseconds,
      divisor: 1e3
    )
  }

  private func writeRooms(to text: inout PrometheusText) {
    var sum = counts.closedRooms
    var shapes = 0
    var readerBytesMost = 0
    for open in rooms.all {
      sum.add(open.room.counts)
      shapes += open.room.canvas.liveCount
      readerBytesMost = max(readerBytesMost, open.room.audience.readers.bytesHeldMost)
    }
    var refusals = counts.refusals
    for code in RejectCode.allCases {
      refusals[Text(code.wireName).string, default: 0] += sum.refusals(code)
    }
    text.metric("canvas_refusals_total", .counter, "What was refused, by code.", by: "code", refusals)
    text.metric("canvas_rooms_open", .gauge, "Rooms that are open.", rooms.count)
    text.metric("canvas_shapes_open", .gauge, "Shapes in the rooms that are open.", shapes)
    text.metric("canvas_beats_total", .counter, "Times that a room sent what had gathered.", sum.beats)
    text.metric("canvas_beat_bytes_total", .counter, "Bytes of beats, once for all who got them.", sum.framesBytes)
    text.metric("canvas_frames_total", .counter, "Writes of ready frames to a socket.", counts.writes)
    text.metric(
      "canvas_states_made_total",
      .counter,
      "States made for those who joined or fell behind.",
      sum.statesMade
    )
    text.metric(
      "canvas_reader_bytes_most",
      .gauge,
      "The most bytes that wait for one reader, beside beats.",
      readerBytesMost
    )
    text.metric(
      "canvas_overlap_orders",
      .gauge,
      "Work on overlaps that is being done, or has been asked for.",
      counts.overlapOrders
    )
    text.metric("canvas_leaps_total", .counter, "Times that a reader got newest values in place of beats.", sum.leaps)
    text.metric("canvas_fell_off_total", .counter, "Readers that fell off the ring.", sum.caughtUp)
    text.metric(
      "canvas_caught_up_total",
      .counter,
      "Readers that fell off the ring and were brought up to date, by what they were sent.",
      by: "state",
      ["whole": sum.catchUpsWhole, "difference": sum.catchUpsDifference]
    )
    text.metric(
      "canvas_joins_total",
      .counter,
      "Readers that joined a room, by what they were sent.",
      by: "state",
      ["whole": sum.joinsWhole, "difference": sum.joinsDifference]
    )
    text.histogram("canvas_beat_operations", "Operations that a beat gathered.", counts.beatOperations)
    text.histogram(
      "canvas_beat_frames",
      "Frames with which a beat went out at once: one for each connection that could take it.",
      counts.beatFrames
    )
    text.metric("canvas_digests_total", .counter, "Digests that clients asked for.", sum.digests)
    text.metric("canvas_snapshots_total", .counter, "Snapshots that were stored.", counts.snapshots)
    text.metric(
      "canvas_snapshot_digest_mismatches_total",
      .counter,
      "Snapshots whose digest was not that of the room that they were made of.",
      counts.snapshotMismatches
    )
  }

  private func writeLog(to text: inout PrometheusText) {
    guard let figures = log.statistics else { return }
    text.metric("canvas_log_rooms", .gauge, "Rooms in the log.", figures.rooms)
    text.metric("canvas_log_damaged_rooms", .gauge, "Rooms that are damaged.", figures.damagedRooms)
    text.metric("canvas_log_commits_total", .counter, "Commits.", figures.commits)
    text.metric("canvas_log_failed_commits_total", .counter, "Commits that failed.", figures.failedCommits)
    text.metric("canvas_log_records_total", .counter, "Records that were stored.", figures.records)
    text.metric("canvas_log_bytes_total", .counter, "Bytes of records that were stored.", figures.bytes)
    text.metric("canvas_log_queued_bytes", .gauge, "Bytes that wait to be stored.", figures.queuedBytes)
    text.histogram("canvas_log_commit_seconds", "How long commits took.", figures.commitMicroseconds, divisor: 1e6)
    text.histogram("canvas_log_commit_records", "Records in a commit.", figures.batchRecords)
    writeVerification(to: &text)
    if let following = figures.following { writeFollowing(following, to: &text) }
    if let directory = figures.directory { writeDirectory(directory, to: &text) }
  }

  private func writeVerification(to text: inout PrometheusText) {
    text.metric(
      "canvas_log_verified_rooms_total",
      .counter,
      "Rooms that were read and compared with their checksums, in the background.",
      verification.rooms
    )
    text.metric(
      "canvas_log_verified_bytes_total",
      .counter,
      "Bytes of stored rooms that were read and compared with their checksums.",
      verification.bytes
    )
    if let verified = verification.verifiedMilliseconds {
      text.metric(
        "canvas_log_verified_timestamp_seconds",
        .gauge,
        "Everything that was stored by then has been verified since.",
        verified / 1_000
      )
    }
  }

  private func writeFollowing(_ following: FollowingFigures, to text: inout PrometheusText) {
    text.metric(
      "canvas_node_differences_total",
      .counter,
      "How often another node had a room otherwise than this one. It should stay 0.",
      counts.differences
    )
    text.metric("canvas_log_followed_rooms", .gauge, "Rooms that are followed in the shared log.", following.rooms)
    text.metric(
      "canvas_log_connections",
      .gauge,
      "Whether a connection to the database can be used, by what it does.",
      by: "connection",
      following.connections.mapValues { $0 ? 1 : 0 }
    )
    if let lag = following.lagRecords {
      text.metric(
        "canvas_log_lag_records",
        .gauge,
        "Records that other nodes have stored and this one has yet to take in. Missing while that isn't known.",
        lag
      )
    }
    text.metric(
      "canvas_log_undecided_appends",
      .gauge,
      "Appends of which it is not known whether they are stored.",
      following.undecidedAppends
    )
    text.metric(
      "canvas_log_reconnects_total",
      .counter,
      "How often a connection to the database was lost.",
      following.reconnects
    )
    text.metric(
      "canvas_log_refused_rooms",
      .gauge,
      "Rooms of which the database refused the last change, though it takes those of others.",
      following.roomsRefused
    )
    text.metric(
      "canvas_log_rooms_set_back_total",
      .counter,
      "How often the database had lost records of a room that this node had shown. It should stay 0.",
      following.roomsSetBack
    )
  }

  private func writeDirectory(_ directory: DirectoryFigures, to text: inout PrometheusText) {
    text.metric("canvas_log_database_bytes", .gauge, "Size of the database.", directory.databaseBytes)
    text.metric("canvas_log_write_ahead_bytes", .gauge, "Size of the write-ahead log.", directory.writeAheadBytes)
    text.histogram(
      "canvas_log_checkpoint_seconds",
      "How long checkpoints took.",
      directory.checkpointMicroseconds,
      divisor: 1e6
    )
  }

  private func writeProcess(to text: inout PrometheusText) {
    text.metric("process_start_time_seconds", .gauge, "When the server was started.", startedAt / 1_000)
    text.metric("process_max_fds", .gauge, "Files that may be open.", ProcessFigures.openFilesMax())
    text.metric("process_open_fds", .gauge, "Files that are open.", ProcessFigures.openFiles())
    text.metric("process_resident_memory_bytes", .gauge, "Memory in use.", ProcessFigures.residentBytes())
    text.metric("process_cpu_seconds_total", .counter, "CPU time used.", seconds: ProcessFigures.cpuMicroseconds())
  }
}

extension LoopTurn.Step {
  fileprivate var words: (step: String, address: String) {
    switch self {
    case .receiving: ("receiving", "")
    case .serving(let party): ("serving", party)
    case .working: ("working", "")
    case .sending: ("sending", "")
    }
  }
}
