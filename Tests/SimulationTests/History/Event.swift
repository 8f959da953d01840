/// An event that can happen next in a history. The raw value is the event's name in a story.
enum Event: String, CaseIterable, Sendable {
  // Something that a person does in a tab.
  case draw, change, rename, paste, remove, clear, undo, redo
  /// Several edits in one undo step. Messages from the server arrive between them.
  case gesture
  /// An undo and at once a redo, which must change nothing.
  case undoAndRedo
  /// An edit that is undone at once. The edit and its undo together must change nothing.
  case editAndUndo
  /// Somebody moves a shape while somebody else deletes it, and neither knows yet.
  case crossing
  /// In a full room, deletes all shapes and makes new ones without waiting for the server's answers.
  case replaceAll
  case show, askDigest
  case tabDies, tabStops, tabStarts, tabOpens, tabDoubles
  // Requests by bots, by HTTP clients and by a hostile program. None of them keeps a canvas.
  case write, request, read, hostile
  // Faults of the network.
  case cut, hush, stall, partition
  // Events at the server's process, its disk or its log.
  case crash, stop, snapshot, trim, forget, logFails, restore, deleteRoom, writeFromElsewhere
  // Faults that need several nodes: a node can't reach the log, a node's process is suspended, or a standby database
  // takes over.
  case cutOff, standStill, failOver
  case tabClock, serverClock, wait

  /// How often the event happens relative to the others, unless the history's `Dice` say otherwise.
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
