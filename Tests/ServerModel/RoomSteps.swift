import CanvasCRDT
import TestSupport

@testable import SyncServer

extension Framing {
  /// A length before each message, in place of WebSocket frames, for tests without a socket.
  static let byLength = Framing { message, _, bytes in LengthFraming.append(message, to: &bytes) }
}

extension ActorKeys {
  /// The keys of all servers in tests. They are made with a fixed secret, so that keys outlast a restart.
  static let inTests = ActorKeys(secret: [UInt8](repeating: 7, count: secretBytes))
}

extension Room {
  /// Does what a connection's conversation returns, as the hub does.
  /// - Returns: the code with which the connection has to be closed, if it has to.
  mutating func take(
    _ step: ConversationStep,
    from member: inout MemberID?,
    at party: String,
    encoding: WireEncoding,
    now: Moment,
    using random: inout SeededGenerator
  ) -> CloseCode? {
    switch step {
    case .nothing: break
    case .join(let hello, let role):
      member = join(hello, role: role, encoding: encoding, party: party, keys: .inTests, now: now, using: &random)
    case .submit(let submission): if let member { submit(submission, from: member, now: now) }
    case .presence(let state): if let member { presence(state, from: member, now: now) }
    case .digest: if let member { digest(for: member, now: now) }
    // Only the hub handles tokens.
    case .token: break
    case .reply(let message): if let member { reply(message, to: member) }
    case .close(let code, _): return code
    }
    return nil
  }
}
