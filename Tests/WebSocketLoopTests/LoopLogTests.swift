import Glibc
import Synchronization
import Testing

@testable import WebSocketLoop

@Suite("What libwebsockets says")
struct LoopLogTests {
  @Test("is passed on, except the line for each adopted socket and for faults of peers, and leaves no memory behind")
  func lines() throws {
    let heard = Mutex<[String]>([])
    LoopLog.route(to: { level, line in heard.withLock { $0.append("\(level): \(line)") } })
    LoopLog.hear(.warning, "a warning\n")
    let before = try residentBytes()
    // Sanitizers keep freed memory for a while to detect its use, so their limit is higher.
    let bytesMax = getenv("CANVAS_SANITIZED") == nil ? 8_000_000 : 300_000_000
    for _ in 0..<400_000 { LoopLog.hear(.error, "lws_adopt_descriptor_vhost2: calling service\n") }
    // If each line leaked two small allocations, the growth would be 25 MB.
    #expect(try residentBytes() - before < bytesMax)
    LoopLog.hear(.warning, "Control frame with xtended length is illegal\n")
    LoopLog.hear(.error, "an error\n")
    LoopLog.route(to: { _, _ in })
    #expect(heard.withLock { $0 } == ["warning: a warning", "error: an error"])
  }

  private func residentBytes() throws -> Int {
    let file = try #require(fopen("/proc/self/statm", "r"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = fread(&bytes, 1, bytes.count, file)
    let pages = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ")[1]
    return try #require(Int(pages)) * Int(getpagesize())
  }
}
