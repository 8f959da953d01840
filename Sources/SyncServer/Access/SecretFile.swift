import Glibc

extension ActorKeys {
  /// Reads the secret from a file, as hexadecimal digits.
  ///
  /// A client that knows the secret can claim any actor. Servers that serve the same rooms need the same secret.
  /// - Returns: the keys, and whether users other than the file's owner can read the file; `nil` if there is no file.
  static func read(_ path: String) throws(StateFileFault) -> (keys: ActorKeys, isOpenToOthers: Bool)? {
    if access(path, F_OK) != 0, errno == ENOENT || errno == ENOTDIR { return nil }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StateFileFault() }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw StateFileFault() }
    var bytes = [UInt8](repeating: 0, count: secretBytes * 2 + 2)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw StateFileFault() }
    let digits = bytes[..<count].split(separator: UInt8(ascii: "\n")).first ?? []
    guard digits.count == secretBytes * 2, let secret = secret(digits) else {
      throw StateFileFault(words: "this is not a secret of \(secretBytes * 2) hexadecimal digits")
    }
    return (ActorKeys(secret: secret), status.st_mode & 0o077 != 0)
  }

  private static func secret(_ digits: ArraySlice<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    for start in stride(from: digits.startIndex, to: digits.endIndex, by: 2) {
      let pair = digits[start..<start + 2]
      guard pair.allSatisfy(isDigit), let byte = UInt8(String(decoding: pair, as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(byte)
    }
    return bytes
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
    default: false
    }
  }

  static func write(_ secret: [UInt8], to path: String) throws(StateFileFault) {
    var digits: [UInt8] = []
    for byte in secret {
      digits += (byte < 16 ? "0" : "").utf8
      digits += String(byte, radix: 16).utf8
    }
    digits.append(UInt8(ascii: "\n"))
    try StateFile.write(digits, to: path)
  }
}
