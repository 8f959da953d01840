import Testing

@testable import SyncServer

@Suite("Compressed answers") struct ContentCodingTests {
  @Test("What compressing would make longer is sent as it is") func incompressible() {
    let noise = (0..<1_000).map { _ in UInt8.random(in: .min ... .max) }
    for level: Int32 in [1, 9] { #expect(Gzip.compress(noise, level: level) == nil) }
  }
}
