/// The bytes of all broadcasts from `place` on, for one channel.
struct NewestBeats {
  let place: UInt64
  let channel: Channel
  var bytes: [UInt8]
  var tellsOfPeople: Bool

  init(from place: UInt64, for channel: Channel, _ ring: borrowing Ring) {
    self.place = place
    self.channel = channel
    bytes = ring[place].bytes[channel.index]
    tellsOfPeople = !ring[place].peers.isEmpty
    for ordinal in place &+ 1..<ring.end {
      bytes += ring[ordinal].bytes[channel.index]
      tellsOfPeople = tellsOfPeople || !ring[ordinal].peers.isEmpty
    }
  }
}
