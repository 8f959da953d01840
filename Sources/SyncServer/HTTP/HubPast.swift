import CanvasCRDT
import RoomLog
import WebSocketLoop

// A room as it is, or as it was.

extension Hub {
  /// Answers with the room's canvas and the cursor that it is of: as it is, or with `?at=` a cursor or a time as it was then.
  func seeing(
    _ open: OpenRoom,
    _ request: Request,
    _ answer: (Canvas, Cursor) async -> Response
  ) async -> Response {
    guard let at = request.parameter("at") else { return await answer(open.room.canvas, open.room.cursor) }
    let end: RoomHistory.End
    if let milliseconds = UInt64(at) {
      end = .time(milliseconds)
    } else {
      guard RoomCursor(Cursor(Text(at))) != nil else {
        return .error(400, code: "bad_request", message: "at is a cursor, or Unix milliseconds")
      }
      guard let position = open.room.place(of: Cursor(Text(at))) else {
        return .error(
          409,
          code: "other_cursor",
          message: "this is no place in the room as it is: it was deleted or restored"
        )
      }
      end = .position(position)
    }
    guard await takeHistoryTurn() else {
      return .error(429, code: "rate_limited", message: "as much history is being read as may be")
        .retried(afterSeconds: 1)
    }
    let history = await history(of: open, at: end)
    leaveHistoryTurn()
    switch history {
    case .failure(.trimmed): return .error(404, code: "not_kept", message: "history as old as that is no longer kept")
    case .failure(.unreadable(let words)): return .error(503, code: "unavailable", message: words)
    case .success(let history):
      return await answer(history.canvas, RoomCursor(epoch: open.room.epoch, position: history.position).cursor)
    }
  }

  // MARK: Turns

  /// Waits for a place among those who read history; no where none became free for a while.
  private func takeHistoryTurn() async -> Bool {
    guard historyTurns.taken >= HistoryTurns.most else {
      historyTurns.taken += 1
      return true
    }
    let id = nextRequest()
    return await withCheckedContinuation { turn in
      let timer = loop.schedule(afterMilliseconds: HistoryTurns.waitMilliseconds) { self.giveUpHistoryTurn(id) }
      historyTurns.waiting.append(.init(id: id, timer: timer, turn: turn))
    }
  }

  /// The place goes to who waits longest.
  private func leaveHistoryTurn() {
    guard !historyTurns.waiting.isEmpty else {
      historyTurns.taken -= 1
      return
    }
    let next = historyTurns.waiting.removeFirst()
    next.timer.cancel()
    next.turn.resume(returning: true)
  }

  private func giveUpHistoryTurn(_ id: UInt64) {
    guard let index = historyTurns.waiting.firstIndex(where: { $0.id == id }) else { return }
    historyTurns.waiting.remove(at: index).turn.resume(returning: false)
  }
}

/// Who reads history, each of whom folds a room of its own, and who waits to.
struct HistoryTurns {
  struct Waiting {
    let id: UInt64
    let timer: LoopTimer
    let turn: CheckedContinuation<Bool, Never>
  }

  static let most = 8
  /// Less than people and programs wait for an answer.
  static let waitMilliseconds: UInt64 = 5_000

  var taken = 0
  var waiting: [Waiting] = []
}
