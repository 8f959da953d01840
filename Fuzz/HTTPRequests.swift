// Fuzzes HTTP requests as they arrive at a socket. The result must not depend on how the bytes are cut into pieces. And
// a request must end where a stricter reader would end it.

@testable import WebSocketLoop

private let bodyBytesMax = 4_096

private enum Outcome: Equatable {
  case request(method: String, target: String, headers: [String], body: [UInt8])
  case upgrade([UInt8])
  case fault(HTTPFault)
}

/// The requests and the fault that a connection reads from `bytes`. `pieces` gives the length of each arriving piece.
private func outcomes(_ bytes: [UInt8], pieces: (Int) -> Int) -> [Outcome] {
  var outcomes: [Outcome] = []
  var parser = HeadParser(bytesMax: 2_048, headersMax: 16)
  var reader: (Request, BodyReader)?
  var received: [UInt8] = []
  var place = 0
  while true {
    do throws(HTTPFault) {
      if let (request, begun) = reader {
        var body = begun
        try body.take(&received)
        precondition(body.body.count <= bodyBytesMax, "a body is longer than its bound")
        reader = (request, body)
        if body.isComplete {
          outcomes.append(
            .request(
              method: request.method,
              target: request.path + "?" + request.query,
              headers: request.headers.map { $0.name + ":" + $0.value },
              body: body.body
            )
          )
          _ = request.keepsAlive
          reader = nil
          continue
        }
      } else if let head = try parser.take(&received) {
        let request = try Request(head, peer: "192.0.2.1")
        if request.list(.upgrade).contains("websocket") {
          // Bytes after the head are ignored here. How many of them have arrived depends on how the input was cut into
          // pieces.
          let handshake = try Handshake(request, hasMore: false)
          let head = handshake.head(host: "host", subprotocol: handshake.offered.first)
          precondition(
            head.split(separator: 0x0A).allSatisfy { $0.last == 0x0D },
            "a handshake with a line of the client's"
          )
          return outcomes + [.upgrade(head)]
        }
        reader = (request, try BodyReader(try request.bodyLength(), bytesMax: bodyBytesMax))
        continue
      }
    } catch {
      return outcomes + [.fault(error)]
    }
    guard place < bytes.count else { return outcomes }
    let count = min(max(1, pieces(place)), bytes.count - place)
    received += bytes[place..<(place + count)]
    place += count
  }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  // Longer inputs are skipped, because reading them byte by byte takes too long.
  guard count <= 8_192 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let byBytes = outcomes(bytes) { _ in 1 }
  let byPieces = outcomes(bytes) { place in Int(bytes[place]) }
  // If a head or a line is too long, the fault depends on how many bytes have arrived. So such inputs aren't compared.
  guard !byBytes.contains(where: isTooLong) else { return 0 }
  precondition(byBytes == byPieces, "the same bytes in other pieces are other requests")
  let whole = outcomes(bytes) { _ in bytes.count }
  precondition(byBytes == whole || whole.contains(where: isTooLong), "the same bytes at once are other requests")
  return 0
}

private func isTooLong(_ outcome: Outcome) -> Bool {
  guard case .fault(let fault) = outcome else { return false }
  return fault.status == 431 || fault.status == 413 || fault.message.contains("too long")
    || fault.message.contains("line is malformed")
}
