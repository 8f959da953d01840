extension [UInt8] {
  /// The text without the byte order mark with which some editors begin UTF-8. RFC 8259 lets readers of JSON ignore it.
  public var withoutByteOrderMark: [UInt8] { starts(with: [0xEF, 0xBB, 0xBF]) ? Array(dropFirst(3)) : self }
}
