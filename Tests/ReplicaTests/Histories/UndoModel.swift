@testable import CanvasCRDT

/// What somebody alone in a room must see: the values of all steps that are not undone, without refused edits. One undo
/// takes back steps until the drawing looks different. Redo works in the same way.
struct UndoModel {
  typealias Picture = UndoRedoLawTests.Picture

  /// The writes that can't be undone any more, as indices into `OwnWrites.all`.
  private var settled: [Int] = []
  /// The steps that can be undone, each as indices into `OwnWrites.all`.
  private var steps: [[Int]] = []
  private var undone: [[Int]] = []
  private var open: [Int] = []
  private var isOpen = false

  /// The writes that are not undone.
  var places: Set<Int> { Set(settled + steps.joined() + open) }

  /// Drops the undo history.
  mutating func forget() {
    settled += steps.joined() + open
    (steps, undone, open, isOpen) = ([], [], [], false)
  }

  mutating func begin(_ writes: OwnWrites) {
    end(writes)
    isOpen = true
  }

  mutating func end(_ writes: OwnWrites) {
    isOpen = false
    // A step counts only if at least one of its values is not lost.
    if open.contains(where: { !writes.all[$0].left.assigned.isEmpty }) {
      steps.append(open)
      undone = []
    }
    open = []
  }

  mutating func wrote(_ places: Range<Int>, _ writes: OwnWrites) {
    guard !places.isEmpty else { return }
    open += Array(places)
    if !isOpen { end(writes) }
  }

  mutating func abandon() {
    isOpen = false
    open = []
  }

  mutating func undo(_ writes: OwnWrites) {
    end(writes)
    let before = picture(writes)
    while let step = steps.popLast() {
      undone.append(step)
      if picture(writes) != before { return }
    }
  }

  mutating func redo(_ writes: OwnWrites) {
    end(writes)
    let before = picture(writes)
    while let step = undone.popLast() {
      steps.append(step)
      if picture(writes) != before { return }
    }
  }

  func picture(_ writes: OwnWrites) -> Picture {
    var canvas = Canvas()
    for place in settled + steps.joined() + open {
      let write = writes.all[place]
      guard !write.left.assigned.isEmpty else { continue }
      let stamp = Stamp(time: UInt64(place + 1), actor: write.stamps[0].actor)
      canvas.apply(Operation(shape: write.shape, at: stamp, set: write.left))
    }
    return Picture(canvas)
  }
}
