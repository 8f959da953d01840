/// Which of the sockets that are ready are served in a turn, where the turn is too short for all.
///
/// Sockets that are passed over stay ready, so the loop hears of them again in the next turn. What always holds: a socket that was
/// served isn't served again before all that were ready with it. So a socket that is always ready keeps nobody from being served.
struct ReadinessRound {
  private var number: UInt64 = 1
  /// In which round each descriptor was served last.
  private var served: [UInt64] = []
  private var isSomebodyLeft = false
  private var isAnybodyServed = false

  /// Whether this socket is served now. One a turn always is, so that each turn gets on.
  mutating func admits(_ descriptor: Int, isTurnSpent: @autoclosure () -> Bool) -> Bool {
    if descriptor >= served.count {
      served += Array(repeating: 0, count: descriptor + 1 - served.count)
    }
    guard served[descriptor] != number else { return false }
    if isAnybodyServed, isTurnSpent() {
      isSomebodyLeft = true
      return false
    }
    isAnybodyServed = true
    served[descriptor] = number
    return true
  }

  mutating func turnEnds() {
    if !isSomebodyLeft { number += 1 }
    isSomebodyLeft = false
    isAnybodyServed = false
  }
}
