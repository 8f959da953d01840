import Glibc

/// The program that started this one and waits for reports of its progress, such as systemd. It listens on a local
/// datagram socket, whose name is in `NOTIFY_SOCKET` (see sd_notify(3)).
struct ServiceManager: Sendable {
  private let address: [UInt8]

  /// The service manager of this process. `nil` if there is none.
  static let running = getenv("NOTIFY_SOCKET").flatMap { ServiceManager(socket: String(cString: $0)) }

  /// - Parameter socket: a path, or `@` and the name of an abstract socket, which is in no folder.
  init?(socket: String) {
    guard socket.hasPrefix("/") || socket.hasPrefix("@"),
      socket.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path)
    else { return nil }
    address = Array(socket.utf8)
  }

  func isReady() { tell("READY=1") }
  func isStopping() { tell("STOPPING=1") }

  /// The service manager sends no answer, so a failure is ignored.
  private func tell(_ words: String) {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { path in
      path.copyBytes(from: address)
      // The name of an abstract socket begins with a zero byte.
      if path[0] == UInt8(ascii: "@") { path[0] = 0 }
    }
    let length = socklen_t(MemoryLayout.offset(of: \sockaddr_un.sun_path)! + address.count)
    withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = sendto(descriptor, words, words.utf8.count, Int32(MSG_NOSIGNAL), address, length)
      }
    }
  }
}
