internal import CCrypto
import CanvasCRDT

/// The keys with which a client proves that it is the actor that it names.
///
/// A key is a code over the room and the actor (HMAC-SHA256), made with a secret that only the server has. So the server
/// keeps no list of keys, keys outlast a restart, and several servers with one secret take each other's keys.
///
/// The actors that the server makes carry a mark, made with the same secret, in their lowest bits. The mark tells them
/// from actors that clients chose by themselves: the client of a marked actor was given a key, and nobody else may
/// become that actor.
struct ActorKeys: Sendable {
  let secret: [UInt8]

  static let secretBytes = 32
  /// One in 4,096 actors that clients chose has the right mark by chance. Such a client gets another actor.
  private static let markBits: UInt64 = 12
  private static let keyBytes = 16

  /// - Parameter secret: of `secretBytes` bytes that nobody can guess.
  init(secret: [UInt8]) { self.secret = secret }

  /// Keys with a random secret that ends with the process.
  static func temporary() -> ActorKeys {
    var generator = SystemRandomNumberGenerator()
    return ActorKeys(secret: (0..<secretBytes).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }

  // MARK: Keys

  func key(of actor: Identifier, in room: Text) -> Text {
    Text(Base64.encoded(code("key", room, actor.packed).prefix(ActorKeys.keyBytes)))
  }

  /// Takes the same time whatever part of a wrong key is right.
  func isKey(_ key: Text?, of actor: Identifier, in room: Text) -> Bool {
    guard let key else { return false }
    let presented = Array(key.string.utf8)
    let right = Array(self.key(of: actor, in: room).string.utf8)
    return presented.count == right.count && CRYPTO_memcmp(presented, right, right.count) == 0
  }

  // MARK: Actors

  /// A random actor with the mark.
  func newActor(in room: Text, using generator: inout some RandomNumberGenerator) -> Identifier {
    let number = UInt64.random(in: 0..<(Identifier.packedLimit >> ActorKeys.markBits), using: &generator)
    return Identifier(packed: number << ActorKeys.markBits | mark(of: number, in: room)) ?? .random(using: &generator)
  }

  /// The actor of a client that has no connection: always the same one, and marked, so that nobody else becomes it.
  func actor(of client: String, in room: Text) -> Identifier {
    // Two steps, because a client's name may have any bytes.
    let name = ActorKeys.number(code("client", Text(client), 0))
    let number = ActorKeys.number(code("client's actor", room, name)) % (Identifier.packedLimit >> ActorKeys.markBits)
    return Identifier(packed: number << ActorKeys.markBits | mark(of: number, in: room))!
  }

  private static func number(_ code: [UInt8]) -> UInt64 { code.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }

  /// Whether the server made this actor for the room.
  func isMarked(_ actor: Identifier, in room: Text) -> Bool {
    let bits = (1 << ActorKeys.markBits) - 1 as UInt64
    return actor.packed & bits == mark(of: actor.packed >> ActorKeys.markBits, in: room)
  }

  private func mark(of number: UInt64, in room: Text) -> UInt64 {
    let code = code("actor", room, number)
    return (UInt64(code[0]) << 8 | UInt64(code[1])) >> (16 - ActorKeys.markBits)
  }

  /// The code of a room's name, which has no NUL, and a number.
  private func code(_ purpose: String, _ room: Text, _ number: UInt64) -> [UInt8] {
    var message = Array("canvas \(purpose)\0\(room.string)\0".utf8)
    for shift in stride(from: 56, through: 0, by: -8) {
      message.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
    }
    var code = [UInt8](repeating: 0, count: 32)
    var count: UInt32 = 0
    // It fails only where there is no memory left.
    precondition(HMAC(EVP_sha256(), secret, Int32(secret.count), message, message.count, &code, &count) != nil)
    return code
  }
}
