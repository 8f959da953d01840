/// An event that may happen next in a history. The raw value is the event's name in a story.
enum Event: String, CaseIterable, Sendable {
  // Something that a person does in a tab.
  case draw, change, rename, paste, remove, clear, undo, redo
  /// Several edits in one step, with the server's messages in between.
  case gesture
  /// An undo and at once a redo, which must change nothing.
  case undoAndRedo
  /// An edit and at once an undo, which must change nothing.
  case editAndUndo
  /// Somebody moves a shape while somebody else deletes it.
  case crossing
  /// In a full room, all shapes are deleted and new ones made, faster than the server answers.
  case replaceAll
  case show, askDigest
  // A tab begins or ends.
  case tabDies, tabStops, tabStarts, tabOpens, tabDoubles
  // Something that a client without a canvas does.
  case write, request, read, hostile
  // Something that the network does.
  case cut, hush, stall, partition
  // Something that happens to the server's process, its disk or its log.
  case crash, stop, snapshot, trim, forget, logFails, restore, deleteRoom, writeFromElsewhere
  // Something that needs several nodes: one doesn't reach the log, a node's process stands still, or a standby of the
  // log takes over.
  case cutOff, standStill, failOver
  // A clock is set wrong, or time passes.
  case tabClock, serverClock, wait

  /// How often the event happens compared with the others, unless the dice say otherwise.
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
