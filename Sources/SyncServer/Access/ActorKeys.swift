internal import CCrypto
import Basics
import CanvasCRDT

/// The keys with which a client proves that an actor belongs to it.
///
/// A key is the HMAC-SHA256 of the room and the actor, made with a secret that only the server has. The server can
/// compute each key again, so it stores no list of keys, and keys outlast a restart. Servers that share a secret accept
/// each other's keys.
///
/// If the server made an actor, the actor's lowest bits are a mark, which is made with the same secret. The server
/// gives a key with each marked actor, so no client without that key may become the actor. Actors that clients chose by
/// themselves have no mark.
struct ActorKeys: Sendable {
  let secret: [UInt8]

  static let secretBytes = 32
  /// One in 4,096 of the actors that clients chose has a valid mark by chance. A client that claims such an actor
  /// without its key gets another actor.
  private static let markBits: UInt64 = 12
  private static let keyBytes = 16

  /// - Parameter secret: `secretBytes` bytes that nobody can guess.
  init(secret: [UInt8]) { self.secret = secret }

  /// Keys made with a random secret that is not stored. They are worthless after a restart.
  static func temporary() -> ActorKeys {
    var generator = SystemRandomNumberGenerator()
    return ActorKeys(secret: (0..<secretBytes).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }

  // MARK: Keys

  func key(of actor: Identifier, in room: Text) -> Text {
    Text(Base64.forURLs.encoded(Array(code("key", room, actor.packed).prefix(ActorKeys.keyBytes))))
  }

  /// Takes the same time for every wrong key. Otherwise a client could find the key byte by byte.
  func isKey(_ key: Text?, of actor: Identifier, in room: Text) -> Bool {
    guard let key else { return false }
    let presented = Array(key.string.utf8)
    let right = Array(self.key(of: actor, in: room).string.utf8)
    return presented.count == right.count && CRYPTO_memcmp(presented, right, right.count) == 0
  }

  // MARK: Actors

  /// A random actor with the mark that shows that the server made it.
  func newActor(in room: Text, using generator: inout some RandomNumberGenerator) -> Identifier {
    let number = UInt64.random(in: 0..<(Identifier.packedLimit >> ActorKeys.markBits), using: &generator)
    return Identifier(packed: number << ActorKeys.markBits | mark(of: number, in: room)) ?? .random(using: &generator)
  }

  /// The actor of a client that writes over HTTP, without a connection. In one room, a client always gets the same
  /// actor. The actor is marked, so that nobody else can become it.
  func actor(of client: String, in room: Text) -> Identifier {
    // The client's name may contain NUL, which separates the parts of a code. So the name is hashed first.
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

  /// The HMAC of a purpose, a room's name and a number. NULs separate these parts, because a room's name has none.
  private func code(_ purpose: String, _ room: Text, _ number: UInt64) -> [UInt8] {
    var message = Array("canvas \(purpose)\0\(room.string)\0".utf8)
    for shift in stride(from: 56, through: 0, by: -8) {
      message.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
    }
    var code = [UInt8](repeating: 0, count: 32)
    var count: UInt32 = 0
    // HMAC fails only when memory has run out.
    precondition(HMAC(EVP_sha256(), secret, Int32(secret.count), message, message.count, &code, &count) != nil)
    return code
  }
}
