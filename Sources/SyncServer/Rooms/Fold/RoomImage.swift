import CanvasCRDT

/// A room at one log position. The image shares memory with the room, and pages that the room changes afterwards are
/// copied first. So the image can be encoded on another thread while the room goes on.
struct RoomImage: Sendable {
  let position: UInt64
  let canvas: Canvas
  let operationCount: UInt64
  /// A time that is not earlier than any stamp of the room.
  let clockTime: UInt64
  /// Deletions from before this time, in Unix milliseconds, were forgotten early. 0 if none were.
  let forgottenBefore: UInt64
  let runs: RoomRuns

  /// The image as bytes: `version, position, operations, clock, forgotten, forgotten early, forgotten at all, runs`, then
  /// each part of the state in the binary encoding, preceded by its length. Version 3 lacks the time before which
  /// deletions were forgotten at all, and version 2 also the time before which they were forgotten early.
  ///
  /// The runs (server processes) that wrote the log are: one byte that is 1 if older runs are forgotten; their count;
  /// and for each its first position, and its number in eight bytes, lowest byte first.
  func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: canvas.shapeCount * 96 + 64)
    writer.append(RoomImage.version)
    writer.appendVarint(position)
    writer.appendVarint(operationCount)
    writer.appendVarint(clockTime)
    writer.appendVarint(canvas.forgottenUpTo)
    writer.appendVarint(forgottenBefore)
    writer.appendVarint(canvas.forgottenBefore)
    writer.append(UInt8(runs.hasForgotten ? 1 : 0))
    writer.appendVarint(UInt64(runs.newest.count))
    for run in runs.newest {
      writer.appendVarint(run.first)
      writer.appendLittleEndian(run.number)
    }
    for part in canvas.stateParts() {
      let message = BinaryEncoding.encode(.operations(Delivery(cursor: Cursor(""), content: .state(part))))
      writer.appendVarint(UInt64(message.count))
      writer.append(message)
    }
    return writer.finish()
  }

  fileprivate static let version: UInt8 = 4
}

/// Why stored bytes are not a valid snapshot.
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
        guard (2...RoomImage.version).contains(version) else {
          return Result<RoomImage, RoomImageError>.failure(.unknownVersion(version))
        }
        let position = try reader.readVarint()
        let operationCount = try reader.readVarint()
        let clockTime = try reader.readVarint()
        let forgottenUpTo = try reader.readVarint()
        let forgottenBefore = version < 3 ? 0 : try reader.readVarint()
        let forgottenAtAllBefore = version < 4 ? 0 : try reader.readVarint()
        guard let runs = try RoomImage.runs(&reader) else {
          return .failure(.malformed("the runs can't be"))
        }
        var canvas = Canvas(seed: seed)
        canvas.countDigest()
        while !reader.isAtEnd {
          let message = try reader.readCountedBytes()
          switch RoomImage.part(message) {
          case .success(let part): canvas.merge(part, place: position)
          case .failure(let error): return .failure(error)
          }
        }
        canvas.restore(forgottenUpTo: forgottenUpTo, before: forgottenAtAllBefore)
        return .success(
          RoomImage(
            position: position,
            canvas: canvas,
            operationCount: operationCount,
            clockTime: clockTime,
            forgottenBefore: forgottenBefore,
            runs: runs
          )
        )
      } catch {
        return .failure(.truncated)
      }
    }.get()
  }

  private static func runs(_ reader: inout ByteReader) throws(ByteReader.Failure) -> RoomRuns? {
    let hasForgotten = try reader.readByte() == 1
    let count = try reader.readVarint()
    guard count <= RoomRuns.remembered else { return nil }
    var newest: [RoomRuns.Run] = []
    for _ in 0..<count {
      let first = try reader.readVarint()
      newest.append(RoomRuns.Run(first: first, number: try reader.readLittleEndian()))
    }
    return RoomRuns(newest: newest, hasForgotten: hasForgotten)
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
