import CPostgres
import Glibc

/// libpq, PostgreSQL's client library (postgresql.org/docs/15/libpq.html), from Debian's package libpq5.
///
/// It is loaded only if the log is in PostgreSQL. So neither the build nor a server with a log in a directory needs it.
struct PostgresLibrary: @unchecked Sendable {
  // `@unchecked Sendable`: these are functions of a library that is never unloaded, and they keep no state between
  // calls.
  //
  // The types are those of libpq-fe.h: `Connection` is `PGconn *`, and `Result` is `PGresult *`.
  typealias Connection = OpaquePointer
  typealias Result = OpaquePointer
  typealias Texts = UnsafePointer<UnsafePointer<CChar>?>
  typealias NoticeReceiver = @convention(c) (UnsafeMutableRawPointer?, Result?) -> Void

  private typealias Options = UnsafeMutablePointer<postgres_option>

  private let parse:
    @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> Options?
  private let findDefaults: @convention(c) () -> Options?
  private let freeOptions: @convention(c) (Options) -> Void
  let connectStart: @convention(c) (Texts, Texts, Int32) -> Connection?
  let connectPoll: @convention(c) (Connection) -> Int32
  let status: @convention(c) (Connection) -> Int32
  let process: @convention(c) (Connection) -> Int32
  let socket: @convention(c) (Connection) -> Int32
  let finish: @convention(c) (Connection) -> Void
  private let errorMessage: @convention(c) (Connection) -> UnsafePointer<CChar>?
  let needsPassword: @convention(c) (Connection) -> Int32
  let serverVersion: @convention(c) (Connection) -> Int32
  let setNonblocking: @convention(c) (Connection, Int32) -> Int32
  let setNoticeReceiver: @convention(c) (Connection, NoticeReceiver?, UnsafeMutableRawPointer?) -> NoticeReceiver?
  let enterPipelineMode: @convention(c) (Connection) -> Int32
  let pipelineSync: @convention(c) (Connection) -> Int32
  let sendPrepare:
    @convention(c) (Connection, UnsafePointer<CChar>, UnsafePointer<CChar>, Int32, UnsafePointer<UInt32>?) -> Int32
  let sendQueryPrepared:
    @convention(c) (
      Connection, UnsafePointer<CChar>, Int32, Texts?, UnsafePointer<Int32>?, UnsafePointer<Int32>?, Int32
    ) -> Int32
  let flush: @convention(c) (Connection) -> Int32
  let consumeInput: @convention(c) (Connection) -> Int32
  let isBusy: @convention(c) (Connection) -> Int32
  let getResult: @convention(c) (Connection) -> Result?
  let notifies: @convention(c) (Connection) -> UnsafeMutablePointer<postgres_notification>?
  let freeMemory: @convention(c) (UnsafeMutableRawPointer?) -> Void
  let resultStatus: @convention(c) (Result) -> Int32
  private let resultErrorField: @convention(c) (Result, Int32) -> UnsafePointer<CChar>?
  let rowCount: @convention(c) (Result) -> Int32
  let isNull: @convention(c) (Result, Int32, Int32) -> Int32
  let value: @convention(c) (Result, Int32, Int32) -> UnsafePointer<CChar>?
  let length: @convention(c) (Result, Int32, Int32) -> Int32
  let commandTag: @convention(c) (Result) -> UnsafePointer<CChar>?
  let clear: @convention(c) (Result?) -> Void

  private static let name = "libpq.so.5"

  init() throws(StorageFault) {
    guard let library = dlopen(PostgresLibrary.name, RTLD_NOW | RTLD_LOCAL) else {
      throw .database("\(PostgresLibrary.name) is not on this machine; install libpq5")
    }
    func found<Function>(_ name: String, _ type: Function.Type = Function.self) throws(StorageFault) -> Function {
      guard let symbol = dlsym(library, name) else {
        throw .database("\(PostgresLibrary.name) has no \(name); install libpq5 14 or newer")
      }
      return unsafeBitCast(symbol, to: type)
    }
    parse = try found("PQconninfoParse")
    findDefaults = try found("PQconndefaults")
    freeOptions = try found("PQconninfoFree")
    connectStart = try found("PQconnectStartParams")
    connectPoll = try found("PQconnectPoll")
    status = try found("PQstatus")
    process = try found("PQbackendPID")
    socket = try found("PQsocket")
    finish = try found("PQfinish")
    errorMessage = try found("PQerrorMessage")
    needsPassword = try found("PQconnectionNeedsPassword")
    serverVersion = try found("PQserverVersion")
    setNonblocking = try found("PQsetnonblocking")
    setNoticeReceiver = try found("PQsetNoticeReceiver")
    enterPipelineMode = try found("PQenterPipelineMode")
    pipelineSync = try found("PQpipelineSync")
    sendPrepare = try found("PQsendPrepare")
    sendQueryPrepared = try found("PQsendQueryPrepared")
    flush = try found("PQflush")
    consumeInput = try found("PQconsumeInput")
    isBusy = try found("PQisBusy")
    getResult = try found("PQgetResult")
    notifies = try found("PQnotifies")
    freeMemory = try found("PQfreemem")
    resultStatus = try found("PQresultStatus")
    resultErrorField = try found("PQresultErrorField")
    rowCount = try found("PQntuples")
    isNull = try found("PQgetisnull")
    value = try found("PQgetvalue")
    length = try found("PQgetlength")
    commandTag = try found("PQcmdStatus")
    clear = try found("PQclear")
  }

  /// A field of an error or a warning: `severityField`, `stateField` or `messageField`.
  func text(_ field: Int32, of result: Result) -> String {
    resultErrorField(result, field).map { String(cString: $0) } ?? ""
  }

  /// libpq's error message about a connection, on one line.
  func words(of connection: Connection) -> String {
    let message = errorMessage(connection).map { String(cString: $0) } ?? ""
    let lines = message.split(separator: "\n").map { line in line.drop { $0 == " " || $0 == "\t" } }
    return lines.isEmpty ? "the connection is gone" : lines.joined(separator: " ")
  }

  /// The names of the parameters that a URL may have.
  var parameters: Set<String> { Set(options.map(\.name)) }

  /// Whether libpq can read the URL. Its error message isn't returned, because it could repeat the password.
  func reads(_ url: String) -> Bool {
    guard let options = parse(url, nil) else { return false }
    freeOptions(options)
    return true
  }

  /// libpq's values for parameters that a URL leaves out. They come from environment variables such as `PGHOST`, and
  /// from the service file that `PGSERVICE` names.
  var defaults: [String: String] {
    Dictionary(uniqueKeysWithValues: options.compactMap { option in option.value.map { (option.name, $0) } })
  }

  private var options: [(name: String, value: String?)] {
    guard let options = findDefaults() else { return [] }
    defer { freeOptions(options) }
    var found: [(name: String, value: String?)] = []
    var next = options
    while let keyword = next.pointee.keyword {
      found.append((String(cString: keyword), next.pointee.value.map { String(cString: $0) }))
      next += 1
    }
    return found
  }

  /// Sends a prepared statement with its parameters in binary form.
  /// - Returns: whether libpq accepted it.
  func send(
    _ statement: PostgresStatement,
    _ values: [PostgresValue],
    over connection: Connection
  ) -> Bool {
    let encoded = values.map(\.encoded)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(encoded.reduce(1) { $0 + $1.count })
    for value in encoded { bytes += value }
    // One extra byte, so that an empty value has an address too. libpq takes a null pointer for NULL.
    bytes.append(0)
    let lengths = encoded.map { Int32($0.count) }
    let formats = [Int32](repeating: 1, count: max(values.count, 1))
    return bytes.withUnsafeBytes { buffer in
      guard let base = buffer.baseAddress?.assumingMemoryBound(to: CChar.self) else { return false }
      var place = 0
      let places = lengths.map { length -> UnsafePointer<CChar>? in
        defer { place += Int(length) }
        return base + place
      }
      return places.withUnsafeBufferPointer { places in
        sendQueryPrepared(
          connection,
          statement.name,
          Int32(values.count),
          places.baseAddress,
          lengths,
          formats,
          1
        ) == 1
      }
    }
  }

  // Values of enumerations in libpq-fe.h.
  static let connectionIsBad: Int32 = 1
  enum Polling {
    static let failed: Int32 = 0
    static let reading: Int32 = 1
    static let writing: Int32 = 2
    static let isDone: Int32 = 3
  }
  enum Outcome {
    static let command: Int32 = 1
    static let rows: Int32 = 2
    static let error: Int32 = 7
    static let pipelineSync: Int32 = 10
    static let pipelineAborted: Int32 = 11
  }
  /// `PG_DIAG_SEVERITY_NONLOCALIZED`, `PG_DIAG_SQLSTATE`, `PG_DIAG_MESSAGE_PRIMARY` and `PG_DIAG_SOURCE_FUNCTION`.
  static let severityField = Int32(UInt8(ascii: "V"))
  static let stateField = Int32(UInt8(ascii: "C"))
  static let messageField = Int32(UInt8(ascii: "M"))
  static let functionField = Int32(UInt8(ascii: "R"))
}
