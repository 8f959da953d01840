import Testing

@testable import CanvasCRDT

/// Checks a replica after each event. The replica must keep its guarantees (`brokenPromise`). Its effects must report
/// every change, so a screen that is updated from the effects alone must show the replica's canvas.
struct ReplicaChecks {
  /// The shapes on a screen that is updated from the effects alone.
  private var screen: [Identifier: Shape] = [:]
  private var events = 0

  /// The replica computes its digest from the whole canvas during this many events. After that, it updates the digest
  /// with each change. So both ways are tested.
  private static let eventsBeforeDigest = 20

  init(_ replica: Replica) { repaint(replica) }

  /// Draws the screen again from the whole canvas.
  mutating func repaint(_ replica: Replica) {
    screen = [:]
    for shape in replica.canvas.shapes { screen[shape.id] = shape }
  }

  /// Checks the replica after an event.
  /// - Parameter effects: all effects of this event.
  mutating func follow(
    _ effects: [ReplicaEffect],
    of replica: inout Replica,
    _ comment: Comment? = nil,
    at location: SourceLocation = #_sourceLocation
  ) {
    for effect in effects {
      switch effect {
      case .changed(let changes, _): for change in changes { screen[change.shape] = replica.canvas[change.shape] }
      case .reset: repaint(replica)
      default: break
      }
    }
    events += 1
    if events == ReplicaChecks.eventsBeforeDigest { replica.optimistic.shown.countDigest() }
    check(replica, comment, at: location)
  }

  private func check(_ replica: Replica, _ comment: Comment?, at location: SourceLocation) {
    #expect(replica.brokenPromise == nil, comment, sourceLocation: location)
    let shapes = replica.canvas.shapes
    let isShown = shapes.count == screen.count && shapes.allSatisfy { screen[$0.id] == $0 }
    #expect(isShown, comment, sourceLocation: location)
  }
}
