import Glibc

/// `recv` as libwebsockets calls it: the only place between a socket and libwebsockets, which has no hook there.
///
/// An executable's symbols come before a library's, so this one is found in place of glibc's by whoever calls `recv` in
/// this process. It does the same (by `recvfrom`), and then has a connection look at what came: a server's at what a client
/// may not send, and a client's, which takes its messages and leaves the rest. All other sockets pass: those of other
/// threads, HTTP's, and of clients that compress.
///
/// The other ways were to keep a second descriptor for each connection, or to decode every frame before libwebsockets
/// does; docs/decisions/0007 weighs them. Public, because the optimiser makes what is not a symbol of its file alone, which
/// libwebsockets would not find; where it is not found for another reason, nothing listens.
@_cdecl("recv")
public func receiveThroughGate(
  _ descriptor: Int32,
  _ bytes: UnsafeMutableRawPointer?,
  _ count: Int,
  _ flags: Int32
) -> Int {
  let received = recvfrom(descriptor, bytes, count, flags, nil, nil)
  guard received > 0, flags & Int32(MSG_PEEK) == 0,
    let connection = GatedConnections.onThisThread?.connection(of: descriptor)
  else { return received }
  let left = connection.admit(UnsafeMutableRawBufferPointer(start: bytes, count: received))
  if let left, left > 0 { return left }
  // Nothing for libwebsockets, which waits for more then, or a socket that is to be done with.
  errno = left == nil ? ECONNRESET : EAGAIN
  return -1
}

enum ReceiveGate {
  /// Whether who looks `recv` up in this process finds another than glibc's.
  static let isInPlace: Bool = {
    guard let library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD) else { return false }
    defer { dlclose(library) }
    return dlsym(nil, "recv") != dlsym(library, "recv")
  }()
}

/// The connections of one loop that look at what they receive first, by their sockets' descriptors.
final class GatedConnections {
  private var connections: [Unmanaged<Connection>?] = []

  /// That of the loop whose thread this is. A thread has it rather than the process, so that nothing is shared.
  static var onThisThread: GatedConnections? {
    pthread_getspecific(key).map { Unmanaged<GatedConnections>.fromOpaque($0).takeUnretainedValue() }
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let failure = pthread_key_create(&key, nil)
    precondition(failure == 0, "a process has more thread keys than one library needs")
    return key
  }()

  /// The loop's thread begins; it holds this for as long as it runs.
  func settleOnThisThread() {
    pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
  }

  func leaveThisThread() {
    pthread_setspecific(Self.key, nil)
  }

  func connection(of descriptor: Int32) -> Connection? {
    let index = Int(descriptor)
    return connections.indices.contains(index) ? connections[index]?.takeUnretainedValue() : nil
  }

  /// Until `remove`; the connection is not kept alive by it.
  func add(_ connection: Connection, descriptor: Int32) {
    let index = Int(descriptor)
    if index >= connections.count {
      connections.append(contentsOf: repeatElement(nil, count: index + 1 - connections.count))
    }
    connections[index] = Unmanaged.passUnretained(connection)
  }

  /// Unless another connection has the descriptor by now.
  func remove(_ connection: Connection, descriptor: Int32) {
    if self.connection(of: descriptor) === connection { connections[Int(descriptor)] = nil }
  }
}
