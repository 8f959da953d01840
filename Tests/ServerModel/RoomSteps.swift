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

/// What a message of a client leads to.
enum Heard: Equatable {
  case join(Hello, Role)
  case session(SessionStep)
  case close(CloseCode, Text)
}

/// A conversation, and how far it has come, as the server's hub knows it of each session.
struct Talk {
  private var conversation: Conversation
  /// The client's role. `nil` before `hello`.
  private(set) var role: Role?

  init(_ encoding: WireEncoding, roleMax: Role = .editor, limits: Limits, now: Moment) {
    conversation = Conversation(encoding: encoding, roleMax: roleMax, limits: limits, now: now)
  }

  var encoding: WireEncoding { conversation.encoding }

  mutating func takeRest() -> UInt64? { conversation.takeRest() }

  mutating func received(_ bytes: UnsafeRawBufferPointer, isText: Bool, now: Moment) -> Heard {
    do throws(Closing) {
      if let role { return .session(try conversation.step(bytes, isText: isText, as: role, now: now)) }
      let (hello, role) = try conversation.hello(bytes, isText: isText, now: now)
      self.role = role
      return .join(hello, role)
    } catch {
      return .close(error.code, error.reason)
    }
  }
}

extension Room {
  /// Carries out what a message leads to, as the server's hub does.
  /// - Returns: the code with which the connection must be closed, or `nil`.
  mutating func take(
    _ heard: Heard,
    from member: inout MemberID?,
    at party: String,
    encoding: WireEncoding,
    allowance: Allowance,
    now: Moment,
    using random: inout SeededGenerator
  ) -> CloseCode? {
    switch heard {
    case .join(let hello, let role):
      member = join(hello, role: role, encoding: encoding, party: party, keys: .inTests, now: now, using: &random)
    case .session(let step): if let member { take(step, from: member, allowance, now: now) }
    case .close(let code, _): return code
    }
    return nil
  }

  private mutating func take(_ step: SessionStep, from member: MemberID, _ allowance: Allowance, now: Moment) {
    switch step {
    case .submit(let submission): submit(submission, from: member, allowance: allowance, now: now)
    case .presence(let state): presence(state, from: member, now: now)
    case .digest: digest(for: member, now: now)
    // Tokens are tested with the hub, which handles them.
    case .token: break
    case .reply(let message): reply(message, to: member)
    }
  }
}
