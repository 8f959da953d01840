import Glibc

/// libjwt (Debian's libjwt0), which checks the signatures of JSON Web Tokens.
///
/// The library is loaded only if keys for signed tokens are given. So it is not needed to build the server, or to run
/// it without signed tokens.
struct JWTLibrary: @unchecked Sendable {
  private typealias Decode =
    @convention(c) (
      UnsafeMutablePointer<OpaquePointer?>, UnsafePointer<CChar>, UnsafePointer<UInt8>, Int32
    ) -> Int32
  private typealias Algorithm = @convention(c) (OpaquePointer) -> Int32
  private typealias Claims = @convention(c) (OpaquePointer, UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>?
  private typealias Free = @convention(c) (OpaquePointer) -> Void

  // `@unchecked Sendable`: these are functions of a library that stays loaded, and they keep no state between calls.
  private let decode: Decode
  private let algorithm: Algorithm
  private let claims: Claims
  private let free: Free

  private static let name = "libjwt.so.0"

  init() throws(TokenFault) {
    guard let library = dlopen(JWTLibrary.name, RTLD_NOW | RTLD_LOCAL) else {
      throw TokenFault("\(JWTLibrary.name) is not on this machine; install libjwt0")
    }
    guard let decode = dlsym(library, "jwt_decode"), let algorithm = dlsym(library, "jwt_get_alg"),
      let claims = dlsym(library, "jwt_get_grants_json"), let free = dlsym(library, "jwt_free")
    else { throw TokenFault("\(JWTLibrary.name) lacks a function that is needed; install libjwt0 1.10 or newer") }
    // The types of these functions are those that jwt.h declares.
    self.decode = unsafeBitCast(decode, to: Decode.self)
    self.algorithm = unsafeBitCast(algorithm, to: Algorithm.self)
    self.claims = unsafeBitCast(claims, to: Claims.self)
    self.free = unsafeBitCast(free, to: Free.self)
  }

  /// The claims of a token, as JSON. `nil` if the signature is wrong, or was made by another algorithm than the key's.
  func claims(of token: String, signedWith key: SigningKey) -> [UInt8]? {
    var decoded: OpaquePointer?
    guard decode(&decoded, token, key.bytes, Int32(key.bytes.count)) == 0, let decoded else { return nil }
    defer { free(decoded) }
    // Makes sure that libjwt has checked the signature with the key's own algorithm. `SignedTokens` has already checked
    // that the token's header names this algorithm.
    guard algorithm(decoded) == key.algorithm.number, let text = claims(decoded, nil) else { return nil }
    defer { Glibc.free(text) }
    return Array(String(cString: text).utf8)
  }
}
