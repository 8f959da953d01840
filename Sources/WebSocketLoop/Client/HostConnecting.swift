import Glibc

/// Connects to the first of a host's addresses that answers. A name can have several, of several machines or of one
/// (IPv6 and IPv4).
final class HostConnecting: SocketWatcher, LoopResident {
  struct Reached {
    let address: SocketAddress
    let socket: ClientSocket
  }

  private let loop: EventLoop
  private let silentMilliseconds: UInt64
  private var completion: ((Result<Reached, HTTPRequestError>) -> Void)?
  /// The addresses that haven't been tried yet.
  private var addresses: ArraySlice<SocketAddress>
  private var trying: Reached?
  private var watch: SocketWatch?
  private var timer: LoopTimer?

  /// How long an address may take to answer while others are left to try.
  private static let connectingMilliseconds: UInt64 = 3_000

  /// - Parameters:
  ///   - silentMilliseconds: how long the last address may take to answer.
  ///   - completion: is never called before `start` has returned.
  init(
    loop: EventLoop,
    _ addresses: [SocketAddress],
    silentMilliseconds: UInt64,
    completion: @escaping (Result<Reached, HTTPRequestError>) -> Void
  ) {
    self.loop = loop
    self.addresses = addresses[...]
    self.silentMilliseconds = silentMilliseconds
    self.completion = completion
  }

  /// - Parameter failure: the error to report if there is no address.
  func start(orElse failure: HTTPRequestError) {
    loop.residents[ObjectIdentifier(self)] = self
    timer = LoopTimer(loop: loop, repeats: true) { [unowned self] in tryNext(.notConnected(errno: ETIMEDOUT)) }
    tryNext(failure)
  }

  func loopStops() { finish(.failure(.tookTooLong)) }

  private func tryNext(_ failure: HTTPRequestError) {
    watch?.close()
    watch = nil
    trying = nil
    guard let address = addresses.popFirst() else {
      loop.schedule(afterMilliseconds: 0) { [self] in finish(.failure(failure)) }
      return
    }
    timer?.start(
      afterMilliseconds: addresses.isEmpty
        ? silentMilliseconds : min(HostConnecting.connectingMilliseconds, silentMilliseconds / 2)
    )
    do throws(HTTPRequestError) {
      let socket = try ClientSocket.connecting(to: address)
      trying = Reached(address: address, socket: socket)
      watch = SocketWatch(loop: loop, descriptor: socket.descriptor, watcher: self)
      guard let watch else { throw .notConnected(errno: ENOSPC) }
      watch.want(readable: false, writable: true)
    } catch {
      tryNext(error)
    }
  }

  func socketIsReady(readable: Bool, writable: Bool) {
    guard let trying else { return }
    if let failure = trying.socket.connectFailure {
      tryNext(.notConnected(errno: failure))
    } else {
      finish(.success(trying))
    }
  }

  private func finish(_ result: Result<Reached, HTTPRequestError>) {
    guard let completion else { return }
    self.completion = nil
    watch?.close()
    watch = nil
    trying = nil
    timer?.cancel()
    timer = nil
    loop.residents[ObjectIdentifier(self)] = nil
    completion(result)
  }
}
