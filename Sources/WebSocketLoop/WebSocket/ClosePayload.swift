/// What a close frame may say (RFC 6455, 5.5.1 and 7.4): nothing, or a code and a reason in UTF-8.
enum ClosePayload {
  enum Fault {
    case halfCode, badCode, badReason

    var code: UInt16 { self == .badReason ? CloseCode.notUTF8 : CloseCode.protocolError }

    var words: String {
      switch self {
      case .halfCode: "half a close code"
      case .badCode: "a close code that is none"
      case .badReason: "a close reason that is not UTF-8"
      }
    }
  }

  /// What is wrong with it. libwebsockets has looked at codes below 3000 already, and replaced those that may not be sent.
  static func fault(in payload: UnsafeRawBufferPointer) -> Fault? {
    if payload.isEmpty { return nil }
    guard payload.count >= 2 else { return .halfCode }
    guard (UInt16(payload[0]) << 8 | UInt16(payload[1])) < 5_000 else { return .badCode }
    return UnsafeRawBufferPointer(rebasing: payload[2...]).isValidUTF8 ? nil : .badReason
  }
}
