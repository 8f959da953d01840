import CanvasCRDT
import Glibc
import WebSocketLoop

/// What the load generator knows of a room: its writers, and the messages that its clients were sent.
///
/// All clients of a room get the same bytes. So a message is decoded only when the first client gets it. For all other
/// clients, the bytes are compared. That is fast enough for a generator with one core to keep up with the server.
struct LoadedRoom {
  /// An operation by a writer of this room.
  struct Mark {
    var writer: Int32
    var sequence: Int32
  }

  struct Seen {
    var bytes: [UInt8]
    var marks: [Mark]
  }

  private static let seenMax = 512

  let name: String
  /// For each shape, the index of its writer in the generator's list.
  private var writers: [Identifier: Int32] = [:]
  /// The newest messages, oldest first. Earlier messages are dropped, and `seenBefore` is their number.
  private var seen: [Seen] = []
  private var seenBefore = 0
  /// The canvas that results from all messages so far.
  private(set) var canvas = Canvas(seed: 1)
  private(set) var decoded: UInt64 = 0

  init(name: String) { self.name = name }

  mutating func add(writer: Int, shape: Identifier) { writers[shape] = Int32(writer) }

  /// The index of the message with these bytes. The search begins at `next`, the message that the client should get
  /// next.
  func place(of bytes: UnsafeRawBufferPointer, from next: Int) -> Int? {
    for place in max(next - seenBefore, 0)..<max(seen.count, max(next - seenBefore, 0)) where matches(place, bytes) {
      return place + seenBefore
    }
    return nil
  }

  private func matches(_ place: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
    seen[place].bytes.withUnsafeBytes { known in
      known.count == bytes.count && memcmp(known.baseAddress!, bytes.baseAddress!, bytes.count) == 0
    }
  }

  func marks(at place: Int) -> [Mark] { seen[place - seenBefore].marks }

  /// Stores a new message of a server. Returns its index.
  mutating func take(_ bytes: UnsafeRawBufferPointer, content: Delivery.Content) -> Int {
    decoded += 1
    var marks: [Mark] = []
    switch content {
    case .operations(let operations):
      marks.reserveCapacity(operations.count)
      for operation in operations {
        canvas.apply(operation)
        note(operation.shape, operation.set, in: &marks)
      }
    case .state(let part):
      canvas.merge(part)
      part.forEachOperation { note($0.shape, $0.set, in: &marks) }
    }
    return keep(bytes, marks: marks)
  }

  /// Stores a new message of a relay, which passes on what writers send. Returns its index.
  mutating func take(_ bytes: UnsafeRawBufferPointer, submission: Submission) -> Int {
    decoded += 1
    var marks: [Mark] = []
    for operation in submission.operations { note(operation.shape, operation.set, in: &marks) }
    return keep(bytes, marks: marks)
  }

  private func note(_ shape: Identifier, _ set: Properties, in marks: inout [Mark]) {
    guard set.assigned.contains(.position), let writer = writers[shape] else { return }
    marks.append(Mark(writer: writer, sequence: LoadedRoom.sequence(of: set.position)))
  }

  private mutating func keep(_ bytes: UnsafeRawBufferPointer, marks: [Mark]) -> Int {
    if seen.count >= 2 * LoadedRoom.seenMax {
      seen.removeFirst(LoadedRoom.seenMax)
      seenBefore += LoadedRoom.seenMax
    }
    seen.append(Seen(bytes: Array(bytes), marks: marks))
    return seenBefore + seen.count - 1
  }

  /// The position that a writer's operation gives to its shape: 0.1 further to the right than the operation before. So
  /// a receiver can compute the sequence number from the position. The coordinates have as many digits as usual.
  static func position(of sequence: Int) -> Point { Point(x: Double(sequence) / 10, y: 240.5) }

  private static func sequence(of position: Point) -> Int32 { Int32((position.x * 10).rounded()) }
}
