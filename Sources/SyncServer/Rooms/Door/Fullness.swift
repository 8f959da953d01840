import CanvasCRDT

/// Whether a room has space for more shapes, and for remembering more deletions.
///
/// Counts the room as it will be when all pending batches have been applied, whatever the order of creations and
/// deletions.
///
/// What always holds:
/// - A pending operation that may make or delete a shape is among that shape's arrivals until the log has answered for
///   its batch. Operations that write to a shape that exists and stays are not counted. Of these only `newest` is kept.
/// - `unseen` counts, by batch, the pending shapes whose identifiers the server made. No other operation can name such
///   a shape before it is applied.
/// - `coming` is the change that all pending batches together will make to the canvas's own counts.
///
/// If the log refuses a batch, or the batch comes too late, its deletions don't happen. Messages that were admitted
/// because of those deletions may then make the room too large by as many shapes.
///
/// The cost of an operation doesn't grow with the number of pending operations.
struct Fullness: Sendable {
  private let limits: Limits
  private var forecasts: [Identifier: Forecast] = [:]
  private var batches = 0
  /// The newest stamp of the operations that were admitted since a batch was last pending. A pending edit might outlive
  /// a deletion that is older than this stamp.
  private var newest: Stamp?
  private var unseen: [UInt64: Int] = [:]
  private var coming = Counts()

  /// How many live shapes there are, how many records (live shapes and remnants), and how many remembered deletions of
  /// shapes without a record.
  struct Counts: Hashable, Sendable {
    var live = 0
    var records = 0
    var erasures = 0

    /// The records without a live shape. They were made by late edits to deleted shapes, or by edits to shapes that
    /// never existed.
    var remnants: Int { records - live }

    /// The counts that this many new shapes add.
    static func made(_ count: Int) -> Counts { Counts(live: count, records: count) }

    static func + (left: Counts, right: Counts) -> Counts {
      Counts(
        live: left.live + right.live,
        records: left.records + right.records,
        erasures: left.erasures + right.erasures
      )
    }

    static func - (left: Counts, right: Counts) -> Counts {
      Counts(
        live: left.live - right.live,
        records: left.records - right.records,
        erasures: left.erasures - right.erasures
      )
    }
  }

  /// A shape with pending operations.
  private struct Forecast {
    var arrivals = NewestOnTheWay<Outlook>()
    /// How much this shape adds to `coming`.
    var share = Counts()

    func outlook(of shape: Identifier, on canvas: borrowing Canvas) -> Outlook {
      var outlook = Outlook(of: shape, on: canvas)
      if let arriving = arrivals.sum { outlook.merge(arriving) }
      return outlook
    }
  }

  init(limits: Limits) { self.limits = limits }

  // MARK: - What is on its way

  /// To be called when a batch has been admitted.
  /// - Returns: the shapes that the batch might make or delete, to be handed to `remove` later.
  mutating func add(_ operations: [Operation], batch: UInt64, on canvas: borrowing Canvas) -> [Identifier] {
    batches += 1
    var arriving: [Identifier: Outlook] = [:]
    for operation in operations where counts(operation.set, on: operation.shape, canvas) {
      arriving[operation.shape] = Outlook()
    }
    // An edit of a shape that stays may have come before in the message, and outlive a deletion that is older.
    for operation in operations {
      newest = max(newest ?? operation.at, operation.at)
      arriving[operation.shape]?.merge(Outlook(operation.set, at: operation.at))
    }
    for (shape, outlook) in arriving {
      forecasts[shape, default: Forecast()].arrivals.add(outlook, of: batch)
      settle(shape, on: canvas)
    }
    return Array(arriving.keys)
  }

  /// Counts the shapes of an admitted batch that are new and that no other operation can name yet.
  mutating func add(unseen count: Int, batch: UInt64) {
    guard count > 0 else { return }
    unseen[batch] = count
    coming = coming + .made(count)
  }

  /// Must be called when `count` more of the batch's unseen shapes have been applied to the canvas.
  mutating func seen(_ count: Int, batch: UInt64) {
    guard let before = unseen[batch] else { return }
    let left = max(0, before - count)
    unseen[batch] = left > 0 ? left : nil
    coming = coming - .made(before - left)
  }

  /// To be called when the log has stored or refused a batch.
  mutating func remove(_ shapes: [Identifier], batch: UInt64, on canvas: borrowing Canvas) {
    batches -= 1
    if batches == 0 { newest = nil }
    seen(.max, batch: batch)
    for shape in shapes {
      forecasts[shape]?.arrivals.remove(batch)
      settle(shape, on: canvas)
    }
  }

  /// To be called when a shape of the canvas has changed.
  mutating func changed(_ shape: Identifier, on canvas: borrowing Canvas) {
    if !forecasts.isEmpty, forecasts[shape] != nil { settle(shape, on: canvas) }
  }

  private mutating func settle(_ shape: Identifier, on canvas: borrowing Canvas) {
    guard var forecast = forecasts[shape] else { return }
    coming = coming - forecast.share
    guard !forecast.arrivals.isEmpty else {
      forecasts[shape] = nil
      return
    }
    forecast.share = forecast.outlook(of: shape, on: canvas).counts - Outlook(of: shape, on: canvas).counts
    coming = coming + forecast.share
    forecasts[shape] = forecast
  }

  /// Whether an operation can change the counts. Most operations don't: they write to a shape that exists and stays.
  private func counts(_ set: borrowing Properties, on shape: Identifier, _ canvas: borrowing Canvas) -> Bool {
    if set.deleted || set.assigned.contains(.kind) || !canvas.registers(of: shape).contains(.kind) { return true }
    return !forecasts.isEmpty && forecasts[shape] != nil
  }

  // MARK: - What may come

  /// Refuses a message that the room has no space for.
  ///
  /// A message that adds nothing is never refused, however full the room is. Examples are a message that is sent again,
  /// one whose shapes were deleted since, and one that deletes as many shapes as it makes.
  /// - Parameter unseen: how many shapes the message makes in addition to the proposed operations. No other operation
  ///   can name these shapes yet.
  /// - Returns: how much more the room has to remember after this message.
  func check(
    _ proposed: [ProposedOperation],
    unseen: Int = 0,
    on canvas: borrowing Canvas,
    isLogInDoubt: Bool
  ) throws(Rejection) -> MemoryUse {
    var message = Message(unseen: unseen, firstUnseen: proposed.count)
    var counted: Set<Identifier> = []
    for operation in proposed where counts(operation.set, on: operation.shape, canvas) {
      counted.insert(operation.shape)
    }
    for (index, operation) in proposed.enumerated() where counted.contains(operation.shape) {
      // An operation without a stamp will get a later stamp than all others in the room and the message. Until then, a
      // very late stamp stands for it.
      let stamp = operation.at ?? Stamp(time: .max - UInt64(proposed.count - index), actor: Fullness.anyActor)
      message.take(Outlook(operation.set, at: stamp), of: operation.shape, index: index)
    }
    guard !message.isEmpty else { return MemoryUse() }
    let standing = Counts(live: canvas.liveCount, records: canvas.shapeCount, erasures: canvas.erasureCount)
    let excess: Excess
    switch self.excess(of: message, beside: standing + coming, newest: newest, { outlook($0, on: canvas) }) {
    case .success(let growth): return growth
    case .failure(let found): excess = found
    }
    // The refusal `room_full` is final. So it must not depend on pending batches that the log might never store.
    // Besides, a log in doubt might have stored this message already.
    if isLogInDoubt, case .success = self.excess(of: message, beside: standing, { Outlook(of: $0, on: canvas) }) {
      throw Rejection(operation: excess.index, code: .unavailable, message: Door.unavailable)
    }
    throw Rejection(operation: excess.index, code: .roomFull, message: excess.words)
  }

  /// How many deletions and remnants the room will remember when all pending batches have been applied.
  func remembered(on canvas: borrowing Canvas) -> MemoryUse {
    MemoryUse(
      places: canvas.erasureCount + coming.erasures,
      remnants: canvas.shapeCount - canvas.liveCount + coming.remnants
    )
  }

  static let anyActor = Identifier(packed: 0)!

  private func outlook(_ shape: Identifier, on canvas: borrowing Canvas) -> Outlook {
    forecasts[shape]?.outlook(of: shape, on: canvas) ?? Outlook(of: shape, on: canvas)
  }

  /// What a message does to each shape that it may create or delete, in the order in which it first names the shapes.
  private struct Message {
    private(set) var shapes: [(shape: Identifier, outlook: Outlook, index: Int)] = []
    private var places: [Identifier: Int] = [:]
    let unseen: Int
    /// The index of the first operation that makes an unseen shape: a shape that no other operation can name yet.
    let firstUnseen: Int

    init(unseen: Int, firstUnseen: Int) {
      self.unseen = unseen
      self.firstUnseen = firstUnseen
    }

    var isEmpty: Bool { shapes.isEmpty && unseen == 0 }

    mutating func take(_ outlook: Outlook, of shape: Identifier, index: Int) {
      if let place = places[shape] {
        shapes[place].outlook.merge(outlook)
      } else {
        places[shape] = shapes.count
        shapes.append((shape, outlook, index))
      }
    }
  }

  /// The first operation that the room has no space for, and why.
  private struct Excess: Error {
    let index: Int
    let words: Text
  }

  /// - Parameter newest: the newest stamp of a pending operation. It might outlive a deletion that is older. To know
  ///   whether it does, each pending edit would have to be kept by its shape.
  /// - Returns: how much more the room has to remember, or the first operation without space.
  private func excess(
    of message: Message,
    beside standing: Counts,
    newest: Stamp? = nil,
    _ before: (Identifier) -> Outlook
  ) -> Result<MemoryUse, Excess> {
    var after = standing
    var mayOutlive = 0
    var growth: [(index: Int, counts: Counts)] = []
    for (shape, arriving, index) in message.shapes {
      let now = before(shape)
      var then = now
      then.merge(arriving)
      let change = then.counts - now.counts
      after = after + change
      growth.append((index, change))
      if change.records < 0, let newest, then.isDeleted(before: newest) { mayOutlive += 1 }
    }
    after = after + .made(message.unseen)
    // A new shape also needs space for its deletion. So deleting an existing shape is always allowed: the deletion
    // takes the space of the shape's record.
    let made = max(0, after.live - standing.live)
    let more = max(0, after.records + after.erasures - standing.records - standing.erasures)
    let fitsLive = Fullness.fits(after.live, standing.live, limits.shapes)
    // Remnants have a limit of their own. Otherwise a client could fill the room by writing to shapes that never
    // existed, and nobody could draw.
    let fitsRemnants = Fullness.fits(after.remnants, standing.remnants, limits.shapes)
    let fitsErasures = more == 0 || Fullness.fits(after.erasures + made, standing.erasures, limits.erasures)
    if fitsLive, fitsRemnants, fitsErasures {
      let remnants = max(0, after.remnants - standing.remnants)
      let first = growth.first { $0.counts.records + $0.counts.erasures > 0 || $0.counts.remnants > 0 }?.index
      let unseen = message.unseen > 0 ? message.firstUnseen : nil
      return .success(MemoryUse(places: more, remnants: remnants, mayOutlive: mayOutlive, first: first ?? unseen))
    }
    growth += (0..<message.unseen).map { (message.firstUnseen + $0, .made(1)) }
    // If there are N shapes too many, the refusal names the first of the message's last N operations that make shapes.
    if !fitsLive {
      let excess = after.live - Int(clamping: max(limits.shapes, UInt64(clamping: standing.live)))
      let index = Fullness.first(of: excess, in: growth) { $0.live > 0 }
      let words = Text("the room is full: it has \(limits.shapes) shapes, the most it may have")
      return .failure(Excess(index: index, words: words))
    }
    let index = Fullness.first(of: 1, in: growth) {
      fitsRemnants ? $0.live > 0 || $0.records > 0 || $0.erasures > 0 : $0.remnants > 0
    }
    let words: Text =
      fitsRemnants
      ? "the room can't remember more deleted shapes"
      : "the room is full of late edits to deleted shapes; delete those shapes again"
    return .failure(Excess(index: index, words: words))
  }

  private static func fits(_ after: Int, _ before: Int, _ most: UInt64) -> Bool {
    after <= before || UInt64(clamping: after) <= most
  }

  /// Takes the last `count` operations that make shapes. Returns the index of the first of these.
  private static func first(
    of count: Int,
    in growth: [(index: Int, counts: Counts)],
    _ grows: (Counts) -> Bool
  ) -> Int {
    let growing = growth.filter { grows($0.counts) }
    return growing.dropFirst(max(0, growing.count - count)).first?.index ?? growth[0].index
  }
}
