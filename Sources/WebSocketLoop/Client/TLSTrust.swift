internal import CWebSockets
import Glibc

/// Whom clients of this process trust over TLS: whom this machine trusts, by OpenSSL's own places of certificates
/// (`SSL_CERT_FILE` and `SSL_CERT_DIR` name others). There is no way to trust everyone.
final class TLSTrust {
  /// An `SSL_CTX`.
  let pointer: OpaquePointer

  init?() {
    guard let context = SSL_CTX_new(TLS_client_method()) else { return nil }
    pointer = context
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
    guard cws_tls_refuse_old_versions(context) == 1, SSL_CTX_set_default_verify_paths(context) == 1 else { return nil }
  }

  deinit { SSL_CTX_free(pointer) }

  /// Why the peer of a connection is not whom we meant, in OpenSSL's words; nothing where it is, or was never asked.
  static func objection(of tls: OpaquePointer) -> String? {
    let result = SSL_get_verify_result(tls)
    guard result != Int(X509_V_OK), let words = X509_verify_cert_error_string(result) else { return nil }
    return String(cString: words)
  }
}

/// TLS over a connected socket of ours, which stays the caller's to watch and to close.
final class TLSStream {
  private let tls: OpaquePointer

  /// - Parameter host: the name or numeric address that the server's certificate has to be for.
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

  /// Sends the beginning of what is handed over; greets the server first, where that is still to be done.
  func send(_ bytes: UnsafeRawBufferPointer) -> SocketTransfer {
    ERR_clear_error()
    return outcome(SSL_write(tls, bytes.baseAddress, Int32(min(bytes.count, 1 << 30))), isReading: false)
  }

  /// Whether a part of what the socket has given is still to be received.
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
    case SSL_ERROR_SYSCALL: return .failed(.notSecure("the server ended the greeting"))
    default: return failure()
    }
  }

  private func failure() -> SocketTransfer {
    if let objection = TLSTrust.objection(of: tls) { return .failed(.notTrusted(objection)) }
    let reason = ERR_reason_error_string(ERR_peek_error()).map { String(cString: $0) }
    return .failed(.notSecure(reason ?? "no reason was given"))
  }
}
