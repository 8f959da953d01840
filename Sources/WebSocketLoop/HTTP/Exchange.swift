/// A whole request that waits for its answer. Answered once; without an answer, 503 is given after a while.
///
/// `@unchecked Sendable`: it belongs to its loop's thread and checks that in debug builds, like `Connection`.
public final class Exchange: @unchecked Sendable {
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

  /// Whether an answer can still reach the client, as far as is known.
  public var isOpen: Bool { connection?.isWaiting(for: self) ?? false }

  /// Sends the answer; to a `HEAD`, only its head. No where the client has gone or was answered, or is told instead that
  /// the server holds too much (`ServerHandler.refused`).
  @discardableResult
  public func answer(_ response: Response) -> Bool {
    connection?.answer(response, to: self) ?? false
  }
}
