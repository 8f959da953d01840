/// An event that may happen next in a history. The raw value is the event's name in a story.
enum Event: String, CaseIterable, Sendable {
  // People's actions in their tabs.
  case draw, change, rename, paste, remove, clear, undo, redo
  /// Several edits in one step, with the server's messages in between.
  case gesture
  /// An undo and at once a redo, which must change nothing.
  case undoAndRedo
  /// An edit and at once an undo, which must change nothing.
  case editAndUndo
  /// A shape is moved while somebody else deletes it.
  case crossing
  /// A full room: what is there goes, and something new comes, faster than the server answers.
  case replaceAll
  case show, askDigest
  // The ends and beginnings of tabs.
  case tabDies, tabStops, tabStarts, tabOpens, tabDoubles
  // Those without a canvas.
  case write, request, read, hostile
  // The network.
  case cut, hush, stall, partition
  // The server's process and its disk.
  case crash, stop, snapshot, trim, forget, logFails, restore, deleteRoom, writeFromElsewhere
  // Where there are several nodes: one does not reach the log, its process stands still, or a standby of the log takes over.
  case cutOff, standStill, failOver
  // Clocks, and time.
  case tabClock, serverClock, wait

  /// How often it happens beside the others, unless the dice say otherwise.
  var weight: Double {
    switch self {
    case .change: 12
    case .draw: 8
    case .rename, .remove, .undo, .redo, .show, .write, .request, .gesture: 3
    case .paste, .undoAndRedo, .editAndUndo, .crossing, .read, .cut: 2
    case .askDigest, .tabDies, .tabStarts, .stall, .snapshot, .crash, .logFails, .hush, .replaceAll: 1
    case .clear, .tabStops, .tabOpens, .tabDoubles, .partition, .stop, .trim, .forget, .hostile, .wait, .tabClock,
      .writeFromElsewhere:
      0.5
    case .restore, .deleteRoom, .serverClock: 0.25
    case .cutOff, .standStill: 1
    case .failOver: 0.5
    }
  }

  var needsSeveralNodes: Bool {
    switch self {
    case .cutOff, .standStill, .failOver: true
    default: false
    }
  }
}
