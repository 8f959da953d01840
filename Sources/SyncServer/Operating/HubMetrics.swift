import CanvasCRDT
import Glibc
import RoomLog
import WebSocketLoop

// `/metrics`.

extension Hub {
  func exposition() -> Response {
    var text = PrometheusText()
    let counts = loop.counts
    text.metric(
      "canvas_build_info",
      .gauge,
      "The version that runs.",
      by: "version",
      [Configuration.version: 1]
    )
    text.metric("canvas_ready", .gauge, "Whether the log can be written.", fault == nil && !stopping.isUnderWay ? 1 : 0)
    text.metric("canvas_connections", .gauge, "WebSocket connections that are open.", clientCount)
    text.metric(
      "canvas_connections_opened_total",
      .counter,
      "WebSocket connections that came.",
      metrics.connectionsOpened
    )
    text.metric("canvas_http_connections", .gauge, "HTTP connections that are open.", counts.httpConnections)
    text.metric(
      "canvas_http_requests_total",
      .counter,
      "HTTP requests by status.",
      by: "status",
      Dictionary(uniqueKeysWithValues: metrics.requests.map { (String($0.key), $0.value) })
    )
    text.metric(
      "canvas_closes_total",
      .counter,
      "Connections that the server closed, by code.",
      by: "code",
      Dictionary(uniqueKeysWithValues: metrics.closes.map { (String($0.key), $0.value) })
    )
    text.metric("canvas_received_bytes_total", .counter, "Bytes that came.", counts.bytesReceived)
    text.metric("canvas_sent_bytes_total", .counter, "Bytes that went.", counts.bytesSent)
    text.metric("canvas_stalls_total", .counter, "How often a socket was full.", counts.stalls)
    text.metric("canvas_messages_in_total", .counter, "Messages that came.", metrics.messagesIn)
    text.metric("canvas_operations_in_total", .counter, "Operations that went to the log.", metrics.operationsIn)
    text.metric(
      "canvas_deliveries_total",
      .counter,
      "Operations times the connections that they were for.",
      metrics.operationsOut
    )
    text.histogram(
      "canvas_delivery_seconds",
      "From an operation's arrival to the beat that brought it.",
      metrics.deliveryMicroseconds,
      divisor: 1e6
    )
    text.histogram(
      "canvas_clock_ahead_seconds",
      "How far writers' clocks are ahead.",
      metrics.clockAheadMilliseconds,
      divisor: 1e3
    )
    text.histogram(
      "canvas_clock_behind_seconds",
      "How far writers' stamps are behind.",
      metrics.clockBehindMilliseconds,
      divisor: 1e3
    )
    writeRooms(to: &text)
    writeLog(to: &text)
    text.metric(
      "canvas_snapshot_digest_mismatches_total",
      .counter,
      "Snapshots whose digest was not that of the room that they were made of.",
      metrics.snapshotMismatches
    )
    text.metric("process_start_time_seconds", .gauge, "When the server was started.", startedAt / 1_000)
    text.metric("process_max_fds", .gauge, "Files that may be open.", Hub.openFilesMax())
    text.metric("process_open_fds", .gauge, "Files that are open.", Hub.openFiles())
    text.metric("process_resident_memory_bytes", .gauge, "Memory in use.", Hub.residentBytes())
    text.metric("process_cpu_seconds_total", .counter, "CPU time used.", seconds: Hub.cpuMicroseconds())
    return .text(text.text, type: "text/plain; version=0.0.4; charset=utf-8")
  }

  private func writeRooms(to text: inout PrometheusText) {
    var sum = metrics.closedRooms
    var shapes = 0
    for open in rooms.values {
      sum.add(open.room.counts)
      shapes += open.room.canvas.liveCount
    }
    var refusals = metrics.refusals
    for code in RejectCode.allCases {
      refusals[Text(code.wireName).string, default: 0] += sum.refusals[Int(code.rawValue)]
    }
    text.metric("canvas_refusals_total", .counter, "What was refused, by code.", by: "code", refusals)
    text.metric("canvas_rooms_open", .gauge, "Rooms that are open.", rooms.count)
    text.metric("canvas_shapes_open", .gauge, "Shapes in the rooms that are open.", shapes)
    text.metric("canvas_beats_total", .counter, "Times that a room sent what had gathered.", sum.beats)
    text.metric("canvas_beat_bytes_total", .counter, "Bytes of beats, once for all who got them.", sum.framesBytes)
    text.metric("canvas_frames_total", .counter, "Writes of ready frames to a socket.", metrics.writes)
    text.metric(
      "canvas_states_made_total",
      .counter,
      "States made for those who joined or fell behind.",
      sum.statesMade
    )
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
    text.histogram("canvas_beat_operations", "Operations that a beat gathered.", metrics.beatOperations)
    text.histogram(
      "canvas_beat_frames",
      "Frames with which a beat went out at once: one for each connection that could take it.",
      metrics.beatFrames
    )
    text.metric("canvas_digests_total", .counter, "Digests that clients asked for.", sum.digests)
    text.metric("canvas_snapshots_total", .counter, "Snapshots that were stored.", metrics.snapshots)
  }

  private func writeLog(to text: inout PrometheusText) {
    guard let figures = log?.statistics() else { return }
    text.metric("canvas_log_rooms", .gauge, "Rooms in the log.", figures.rooms)
    text.metric("canvas_log_damaged_rooms", .gauge, "Rooms that are damaged.", figures.damagedRooms)
    text.metric("canvas_log_commits_total", .counter, "Commits.", figures.commits)
    text.metric("canvas_log_failed_commits_total", .counter, "Commits that failed.", figures.failedCommits)
    text.metric("canvas_log_records_total", .counter, "Records that were stored.", figures.records)
    text.metric("canvas_log_bytes_total", .counter, "Bytes of records that were stored.", figures.bytes)
    text.metric("canvas_log_queued_bytes", .gauge, "Bytes that wait to be stored.", figures.queuedBytes)
    text.metric("canvas_log_database_bytes", .gauge, "Size of the database.", figures.databaseBytes)
    text.metric("canvas_log_write_ahead_bytes", .gauge, "Size of the write-ahead log.", figures.writeAheadBytes)
    text.metric("canvas_log_open_files", .gauge, "Files that the log has open.", figures.openFiles)
    text.histogram("canvas_log_commit_seconds", "How long commits took.", figures.commitMicroseconds, divisor: 1e6)
    text.histogram("canvas_log_commit_records", "Records in a commit.", figures.batchRecords)
    text.histogram(
      "canvas_log_checkpoint_seconds",
      "How long checkpoints took.",
      figures.checkpointMicroseconds,
      divisor: 1e6
    )
  }

  private static func openFilesMax() -> UInt64 {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
    return UInt64(limit.rlim_cur)
  }

  private static func openFiles() -> Int {
    guard let directory = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(directory) }
    var count = 0
    while readdir(directory) != nil { count += 1 }
    // Itself, its parent, and the descriptor by which it is read.
    return max(count - 3, 0)
  }

  private static func residentBytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
    let text = line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    let fields = text.split(separator: " ")
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
  }

  private static func cpuMicroseconds() -> UInt64 {
    var usage = rusage()
    guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return 0 }
    let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
    let micros = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
    return UInt64(seconds) * 1_000_000 + UInt64(micros)
  }
}
