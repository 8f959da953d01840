import Testing

@testable import CanvasCRDT

/// Checks what a replica guarantees to its host, after each event: see `brokenPromise`. The effects also have to report
/// every change. So a screen that is drawn from the effects alone has to show the same canvas.
struct ReplicaChecks {
  /// The shapes on a screen that is drawn from the effects alone.
  private var screen: [Identifier: Shape] = [:]
  private var events = 0

  /// The check asks for the replica's digest only after this many events. Before that, the replica computes its digest
  /// anew each time. Afterwards the digest is updated with each change. So both ways are checked.
  private static let eventsBeforeDigest = 20

  init(_ replica: Replica) { repaint(replica) }

  /// The screen is drawn anew, from the canvas.
  mutating func repaint(_ replica: Replica) {
    screen = [:]
    for shape in replica.canvas.shapes { screen[shape.id] = shape }
  }

  /// Checks the replica after an event.
  /// - Parameter effects: all effects of the event.
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
