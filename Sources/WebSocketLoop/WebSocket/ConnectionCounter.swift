/// Counts a server's open connections.
protocol ConnectionCounter: AnyObject {
  func webSocketCame(_ connection: Connection)
  func webSocketWent(_ connection: Connection)
  func messageGrew(_ connection: Connection)
  func messageEnded(_ number: UInt64)
}
