import CanvasCRDT
import TestSupport

@testable import SyncServer

extension Framing {
  /// Frames for tests without sockets: each message is preceded by its length.
  static let byLength = Framing { message, _, bytes in LengthFraming.append(message, to: &bytes) }
}

extension ActorKeys {
  /// Keys from a fixed secret, so that they stay valid when a test restarts the server.
  static let inTests = ActorKeys(secret: [UInt8](repeating: 7, count: secretBytes))
}

extension Room {
  /// Carries out an action of a conversation, as the server's hub does.
  /// - Returns: the code with which the connection must be closed, or `nil`.
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
    case .session(let step): if let member { take(step, from: member, now: now) }
    case .close(let code, _): return code
    }
    return nil
  }

  private mutating func take(_ step: SessionStep, from member: MemberID, now: Moment) {
    switch step {
    case .submit(let submission): submit(submission, from: member, now: now)
    case .presence(let state): presence(state, from: member, now: now)
    case .digest: digest(for: member, now: now)
    // Tokens are tested with the hub, which handles them.
    case .token: break
    case .reply(let message): reply(message, to: member)
    }
  }
}
