/// A whole request that waits for its answer. It is answered once. If it isn't answered in time, the client gets 503.
///
/// `@unchecked Sendable`: it belongs to its loop's thread, and debug builds check that.
public final class PendingRequest: @unchecked Sendable {
  public let request: Request
  public let body: [UInt8]
  public let loop: EventLoop
  private weak var connection: HTTPConnection?

  init(request: Request, body: [UInt8], connection: HTTPConnection) {
    self.request = request
    self.body = body
    self.connection = connection
    loop = connection.loop
  }

  /// Whether the client still waits, as far as is known.
  public var isOpen: Bool { connection?.isWaiting(for: self) ?? false }

  /// Sends the answer; to a `HEAD` only its head.
  /// - Returns: false if the client has gone or was answered before, or if it gets 503 because the server holds too much
  ///   (`ServerHandler.refused`).
  @discardableResult
  public func answer(_ response: Response) -> Bool {
    connection?.answer(response, to: self) ?? false
  }
}
