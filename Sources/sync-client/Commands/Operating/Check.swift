import Basics
import CanvasCRDT

/// The command `check`, which compares the client's drawing with the server's.
enum Check {
  static let command = Command(
    name: "check",
    group: .operating,
    operands: [.one("ROOM")],
    summary: "load a room and compare it with the server",
    details: [
      "Loads the room, waits until nothing changes for a moment, and compares its digest with the server's. "
        + "Exit 0: both hold the same. Exit 1: they differ, or the room kept changing."
    ],
    options: [Option("--within", "TIME", "how long to try (default: 20s)")],
    examples: ["check demo", "check demo --json"]
  ) { invocation in
    let within = try invocation.arguments.milliseconds("--within") ?? 20_000
    guard within > 0 else { throw ClientFailure.usage("--within: must be longer than 0") }
    let room = try invocation.room()
    let verdicts = Verdicts()
    let client = invocation.client(of: room, invocation.replicaConfiguration(), follower: verdicts)
    try await client.join(tell: invocation.tell)
    let verdict = try await verdicts.ask(client, withinMilliseconds: within)
    let shapes = client.replica.canvas.liveCount
    let digest = client.replica.confirmedDigest
    await client.leave()
    // An empty drawing may mean that there is no such room, for example because its name was mistyped. So the server is
    // asked.
    if client.replica.canvas.isEmpty {
      _ = try await ServerRequests(server: invocation.server, tell: invocation.tell).get(
        room.path("/history"),
        of: room.text
      )
    }
    report(verdict, room: room, shapes: shapes, digest: digest, to: invocation)
    return verdict == .agrees ? .success : .failed
  }

  private static func report(
    _ verdict: DigestVerdict,
    room: RoomName,
    shapes: Int,
    digest: UInt64,
    to invocation: Invocation
  ) {
    let hash = JSONEncoding.hexadecimal(digest).string
    let output = invocation.output
    let count = Figures.counted(shapes, "shape")
    if invocation.isJSON {
      output.write { line in
        line.member("room", room.text)
        line.member("verdict", verdict.word)
        line.member("shapes", shapes)
        line.member("hash", hash)
      }
      return
    }
    switch verdict {
    case .agrees:
      output.write("\(output.styled("agrees", .good)): \(room.text), \(count), digest \(hash)")
    case .disagrees:
      output.write("\(output.styled("disagrees", .bad)): \(room.text), here \(count), digest \(hash)")
    case .inconclusive:
      output.write("inconclusive: \(room.text) kept changing, so that nothing could be compared")
    }
  }
}

extension DigestVerdict {
  var word: String {
    switch self {
    case .agrees: "agrees"
    case .disagrees: "disagrees"
    case .inconclusive: "inconclusive"
    }
  }
}

/// Requests the server's digest, and waits for the result of the comparison.
@ClientLoop
final class Verdicts: RoomFollower {
  private(set) var newest: DigestVerdict?
  private var hasChanged = false

  func follow(_ effect: ReplicaEffect, in client: RoomClient) {
    switch effect {
    case .digest(let verdict): newest = verdict
    case .changed: hasChanged = true
    default: break
    }
  }

  /// Requests the digest, and repeats the request while the room keeps changing.
  func ask(_ client: RoomClient, withinMilliseconds: UInt64) async throws -> DigestVerdict {
    let deadline = SteadyClock.milliseconds() + withinMilliseconds
    hasChanged = false
    while true {
      newest = nil
      client.edit { replica, now in replica.askDigest(at: now) }
      let now = SteadyClock.milliseconds()
      guard now < deadline else { return .inconclusive }
      let end = await client.wait(withinMilliseconds: deadline - now) { self.newest != nil || $0.isClosedForGood }
      if end == .cancelled { throw CancellationError() }
      if let refusal = client.refusal { throw refusal }
      guard newest != nil || hasChanged else {
        throw ClientFailure.failed("the server doesn't say what its digest is", code: "no_answer")
      }
      guard let newest else { return .inconclusive }
      if newest != .inconclusive { return newest }
    }
  }
}
