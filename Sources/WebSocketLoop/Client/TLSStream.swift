internal import CWebSockets
import Glibc

/// TLS over a connected socket. The caller still watches and closes the socket.
final class TLSStream {
  private let tls: OpaquePointer

  /// - Parameter host: the name or numeric address that the server's certificate must be for.
  init?(_ trust: TLSTrust, descriptor: Int32, host: String) {
    guard let tls = SSL_new(trust.pointer) else { return nil }
    self.tls = tls
    guard SSL_set_fd(tls, descriptor) == 1, TLSStream.expect(host, from: tls) else { return nil }
    cws_tls_write_freely(tls)
    SSL_set_connect_state(tls)
  }

  deinit { SSL_free(tls) }

  private static func expect(_ host: String, from tls: OpaquePointer) -> Bool {
    let wanted = SSL_get0_param(tls)
    X509_VERIFY_PARAM_set_hostflags(wanted, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    if X509_VERIFY_PARAM_set1_ip_asc(wanted, host) == 1 { return true }
    return X509_VERIFY_PARAM_set1_host(wanted, host, 0) == 1 && cws_tls_name_server(tls, host) == 1
  }

  /// Sends the first part of `bytes`. If the TLS handshake isn't done yet, it is done first.
  func send(_ bytes: UnsafeRawBufferPointer) -> SocketTransfer {
    ERR_clear_error()
    return outcome(SSL_write(tls, bytes.baseAddress, Int32(min(bytes.count, 1 << 30))), isReading: false)
  }

  /// Whether some bytes were read from the socket but not yet passed to the caller.
  var holdsBytes: Bool { SSL_has_pending(tls) == 1 }

  func receive(_ room: UnsafeMutableRawBufferPointer) -> SocketTransfer {
    ERR_clear_error()
    return outcome(SSL_read(tls, room.baseAddress, Int32(min(room.count, 1 << 30))), isReading: true)
  }

  private func outcome(_ count: Int32, isReading: Bool) -> SocketTransfer {
    if count > 0 { return .bytes(Int(count)) }
    switch SSL_get_error(tls, count) {
    case SSL_ERROR_WANT_READ: return .waits(forWriting: false)
    case SSL_ERROR_WANT_WRITE: return .waits(forWriting: true)
    case SSL_ERROR_ZERO_RETURN: return .ended
    case SSL_ERROR_SYSCALL where SSL_is_init_finished(tls) == 1:
      return isReading ? .ended : .failed(.notConnected(errno: errno))
    case SSL_ERROR_SYSCALL: return .failed(.notSecure("the server ended the TLS handshake"))
    default: return failure()
    }
  }

  private func failure() -> SocketTransfer {
    if let objection = TLSTrust.objection(of: tls) { return .failed(.notTrusted(objection)) }
    let reason = ERR_reason_error_string(ERR_peek_error()).map { String(cString: $0) }
    return .failed(.notSecure(reason ?? "no reason was given"))
  }
}
