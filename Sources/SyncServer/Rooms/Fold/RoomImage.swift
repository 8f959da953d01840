import CanvasCRDT

/// A room at one place in its log. Taking one costs nothing but pages that change afterwards, so its bytes can be made
/// on another thread beside the traffic.
struct RoomImage: Sendable {
  let position: UInt64
  let canvas: Canvas
  let operationCount: UInt64
  /// No stamp of the room is later.
  let clockTime: UInt64

  /// `version, position, operations, clock, forgotten`, then each part of the state behind its length, as the binary
  /// encoding has it.
  func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: canvas.shapeCount * 96 + 64)
    writer.append(RoomImage.version)
    writer.appendVarint(position)
    writer.appendVarint(operationCount)
    writer.appendVarint(clockTime)
    writer.appendVarint(canvas.forgottenUpTo)
    for part in canvas.stateParts() {
      let message = BinaryEncoding.encode(.operations(Delivery(cursor: Cursor(""), content: .state(part))))
      writer.appendVarint(UInt64(message.count))
      writer.append(message)
    }
    return writer.finish()
  }

  fileprivate static let version: UInt8 = 1
}

/// Why stored bytes are not a snapshot.
enum RoomImageError: Error, Hashable, Sendable {
  case truncated
  case unknownVersion(UInt8)
  case malformed(Text)
}

extension RoomImage {
  init(_ bytes: [UInt8], seed: UInt64) throws(RoomImageError) {
    self = try bytes.span.withUnsafeBytes { bytes throws(RoomImageError) in
      var reader = ByteReader(bytes)
      do throws(ByteReader.Failure) {
        let version = try reader.readByte()
        guard version == RoomImage.version else {
          return Result<RoomImage, RoomImageError>.failure(.unknownVersion(version))
        }
        let position = try reader.readVarint()
        let operationCount = try reader.readVarint()
        let clockTime = try reader.readVarint()
        let forgottenUpTo = try reader.readVarint()
        var canvas = Canvas(seed: seed)
        canvas.countDigest()
        while !reader.isAtEnd {
          let message = try reader.readCountedBytes()
          switch RoomImage.part(message) {
          case .success(let part): canvas.merge(part, place: position)
          case .failure(let error): return .failure(error)
          }
        }
        canvas.restore(forgottenUpTo: forgottenUpTo)
        return .success(
          RoomImage(position: position, canvas: canvas, operationCount: operationCount, clockTime: clockTime)
        )
      } catch {
        return .failure(.truncated)
      }
    }.get()
  }

  private static func part(_ message: UnsafeRawBufferPointer) -> Result<StatePart, RoomImageError> {
    do throws(MessageError) {
      guard case .operations(let delivery) = try BinaryEncoding.decodeServerMessage(message),
        case .state(let part) = delivery.content
      else { return .failure(.malformed("the message holds no part of a state")) }
      return .success(part)
    } catch {
      switch error {
      case .malformed(let words), .badHello(let words), .badField(let words), .unknownType(let words):
        return .failure(.malformed(words))
      case .rejected(let rejection): return .failure(.malformed(rejection.message))
      }
    }
  }
}
