/// A whole request that waits for its answer. It is answered once. If the owner doesn't answer in time, the client gets
/// 503.
///
/// `@unchecked Sendable`: a request belongs to its loop's thread, and debug builds check that.
public final class PendingRequest: @unchecked Sendable {
  public let request: Request
  public let body: [UInt8]
  public let loop: EventLoop
  private weak var connection: HTTPConnection?
  private var whenGone: (() -> Void)?

  init(request: Request, body: [UInt8], connection: HTTPConnection) {
    self.request = request
    self.body = body
    self.connection = connection
    loop = connection.loop
  }

  /// Whether the client is still waiting, as far as that can be known.
  public var isOpen: Bool { connection?.isWaiting(for: self) ?? false }

  /// Calls `work` once, on the loop, if the client leaves before it is answered, or gets 503 because the answer took too
  /// long. A client that has closed only its own direction of the connection counts as gone, although an answer can
  /// still reach it.
  public func whenGone(_ work: @escaping () -> Void) {
    loop.assertCurrent()
    whenGone = work
  }

  func noteGone() {
    whenGone?()
    whenGone = nil
  }

  /// Sends the answer, or only its head if the request is a `HEAD`.
  /// - Returns: false if the client is gone or was answered before. Also false if the server holds too much, so that
  ///   the client gets 503 instead (`ServerHandler.refused`).
  @discardableResult
  public func answer(_ response: Response) -> Bool {
    whenGone = nil
    return connection?.answer(response, to: self) ?? false
  }
}
