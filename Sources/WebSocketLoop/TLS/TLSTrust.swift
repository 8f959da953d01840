internal import CWebSockets

/// The certificates that a loop's clients trust. They are those that this machine trusts, in OpenSSL's default places
/// (or in `SSL_CERT_FILE` and `SSL_CERT_DIR`). There is no option to trust every certificate.
///
/// The certificates are loaded when a loop first connects by TLS.
final class TLSTrust: LoopGuest {
  /// An `SSL_CTX`.
  let pointer: OpaquePointer

  /// `nil` if OpenSSL can't be used, or the loop was made without TLS.
  init?(loop: EventLoop) {
    guard loop.speaksTLS, let context = SSL_CTX_new(TLS_client_method()) else { return nil }
    pointer = context
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
    guard cws_tls_refuse_old_versions(context) == 1, SSL_CTX_set_default_verify_paths(context) == 1 else { return nil }
  }

  deinit { SSL_CTX_free(pointer) }

  /// Why the peer's certificate is rejected, in OpenSSL's words. `nil` if it is accepted, or if it was not checked.
  static func objection(of tls: OpaquePointer) -> String? {
    let result = SSL_get_verify_result(tls)
    guard result != Int(X509_V_OK), let words = X509_verify_cert_error_string(result) else { return nil }
    return String(cString: words)
  }
}
