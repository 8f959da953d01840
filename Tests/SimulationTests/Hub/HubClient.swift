@testable import CanvasCRDT
@testable import ServerModel

/// A person with a replica and a connection to a server.
struct HubClient {
  /// A connection to a server.
  struct Line {
    /// The index of the server.
    let server: Int
    /// The number of the server's process.
    let life: Int
    let connection: VirtualConnection
    /// Messages under way to the server, and when each arrives.
    var toServer: [(at: UInt64, bytes: [UInt8])] = []
    /// Frames that have arrived at the client.
    var frames: [UInt8] = []
  }

  let name: String
  let token: String
  var replica: Replica
  var line: Line?
  var connectsAt: UInt64?
  var wakesAt: UInt64?
  var stalledUntil: UInt64 = 0
  /// How many bytes the client reads at a time.
  var drain: Int
  /// Shapes that the client has drawn. Each has to be in the log, unless the client was told otherwise.
  var owed: Set<Identifier> = []

  var isText: Bool { replica.configuration.encoding.isText }
  var isClosed: Bool { if case .closed = replica.state { true } else { false } }
}
