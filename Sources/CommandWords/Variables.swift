/// The environment variables that the project's programs read. All of them begin with `CANVAS_`.
///
/// A server and a client that are started from one shell see each other's variables. So each program has to know all of
/// them, to tell them from mistyped ones.
public enum Variables {
  /// The variables that `sync-client` reads.
  public static let client = ["CANVAS_SERVER", "CANVAS_TOKEN", "CANVAS_TOKEN_FILE"]

  /// The variables that `SyncServer` reads: one for each of its flags. A test checks that the list is complete.
  public static let server = [
    "CANVAS_HOST", "CANVAS_PORT", "CANVAS_DATA", "CANVAS_WEB", "CANVAS_TOKENS", "CANVAS_LOG_LEVEL",
    "CANVAS_LOG_FORMAT", "CANVAS_PROXIES", "CANVAS_HOSTS", "CANVAS_ORIGINS", "CANVAS_OPEN", "CANVAS_AUDIT",
    "CANVAS_JWT_KEYS", "CANVAS_JWT_AUDIENCE", "CANVAS_JWT_LEEWAY", "CANVAS_MAX_MESSAGE_BYTES",
    "CANVAS_MAX_OPS_PER_MESSAGE", "CANVAS_MAX_OPS_PER_SECOND", "CANVAS_MAX_SHAPES", "CANVAS_MAX_CLOCK_AHEAD_MS",
    "CANVAS_HORIZON_MS", "CANVAS_MAX_PRESENCE_BYTES", "CANVAS_PRESENCE_INTERVAL_MS",
    "CANVAS_MAX_MESSAGES_PER_SECOND", "CANVAS_MAX_REFUSALS_IGNORED", "CANVAS_MAX_NAME_BYTES", "CANVAS_HELLO_MS",
    "CANVAS_IDLE_MS", "CANVAS_PONG_MS", "CANVAS_MAX_WAITING_BYTES", "CANVAS_MAX_OPS_IN_FLIGHT",
    "CANVAS_MAX_TEXT_BYTES", "CANVAS_MAX_ERASURES", "CANVAS_MIN_ERASURE_MS", "CANVAS_MAX_CONNECTIONS_PER_ROOM",
    "CANVAS_MAX_NAMED_PEOPLE",
    "CANVAS_MAX_SHOWING_PEOPLE", "CANVAS_PRESENCE_BYTES_PER_SECOND", "CANVAS_BEAT_MS", "CANVAS_MAX_BEAT_OPS",
    "CANVAS_RING_BYTES", "CANVAS_RING_BEATS", "CANVAS_MAX_STATE_STREAMS", "CANVAS_ROOM_IDLE_MS",
    "CANVAS_MAX_OVERLAPS", "CANVAS_MAX_OVERLAP_STEPS", "CANVAS_INDEX_IDLE_MS", "CANVAS_MAX_ROOMS",
    "CANVAS_MAX_CONNECTIONS",
    "CANVAS_MAX_CONNECTIONS_PER_ADDRESS", "CANVAS_MAX_HTTP_CONNECTIONS",
    "CANVAS_MAX_HTTP_CONNECTIONS_PER_ADDRESS", "CANVAS_MAX_HTTP_BYTES", "CANVAS_HISTORY_MS",
    "CANVAS_VERIFY_EVERY_MS", "CANVAS_VERIFY_BYTES_PER_SECOND", "CANVAS_VERIFY_TURN_MS",
    "CANVAS_MAX_BYTES_PER_SECOND", "CANVAS_MESSAGE_MS",
    "CANVAS_MAX_UNFINISHED_BYTES", "CANVAS_UPLOAD_STALL_MS",
    "CANVAS_DAY_BYTES_PER_ADDRESS", "CANVAS_DAY_BYTES_PER_TOKEN", "CANVAS_DAY_ROOMS_PER_ADDRESS",
    "CANVAS_DAY_ROOMS_PER_TOKEN", "CANVAS_STORAGE_RESERVE_BYTES",
  ]

  /// The variables that the build and the tests read.
  private static let workshop = [
    "CANVAS_COMMIT", "CANVAS_HISTORIES", "CANVAS_HUB_HISTORIES", "CANVAS_KEEP", "CANVAS_LINES", "CANVAS_PAGE",
    "CANVAS_PAGE_COVERAGE", "CANVAS_PAGE_LATE", "CANVAS_REPLICAS", "CANVAS_RULE", "CANVAS_SANITIZED", "CANVAS_SEED",
    "CANVAS_SOAK", "CANVAS_STORY", "CANVAS_STRICT", "CANVAS_WRITE_GOLDEN", "CANVAS_WRITE_HISTORIES",
  ]

  /// One sentence for each name that begins with `CANVAS_` and that no program reads.
  /// - Parameter own: the variables that the calling program reads.
  public static func complaints(about names: some Sequence<String>, own: [String]) -> [String] {
    let known = Set(client + server + workshop)
    return names.filter { $0.hasPrefix("CANVAS_") && !known.contains($0) }.sorted().map { name in
      // Names are compared without the prefix, because the prefix would make any two names similar.
      let bare = own.map { String($0.dropFirst("CANVAS_".count)) }
      let meant = Suggestion.nearest(to: String(name.dropFirst("CANVAS_".count)), among: bare)
      return "the variable \(name) means nothing." + (meant.map { " Did you mean CANVAS_\($0)?" } ?? "")
    }
  }
}
