import CanvasCRDT

extension JSONWriter {
  mutating func write(_ events: [RoomEvent], as name: StaticString) {
    key(name)
    beginArray()
    for event in events {
      beginObject()
      event.write(to: &self)
      endObject()
    }
    endArray()
  }
}

/// Events as JSON objects, for programs.
extension RoomEvent {
  func write(to line: inout JSONWriter) {
    line.member("time", milliseconds)
    switch what {
    case .made(let shape, let set):
      line.member("event", "made")
      write(shape, set, to: &line)
    case .changed(let shape, let set):
      line.member("event", "changed")
      write(shape, set, to: &line)
    case .deleted(let shape, let intoBlackHole):
      line.member("event", "deleted")
      write(shape, nil, to: &line)
      if intoBlackHole { line.member("blackHole", true) }
    case .overlapBegan(let first, let second, let share):
      line.member("event", "overlap")
      write(first, second, to: &line)
      if let share { line.member("share", (share * 10_000).rounded() / 10_000) }
    case .overlapEnded(let first, let second):
      line.member("event", "overlapEnded")
      write(first, second, to: &line)
    case .overlapsUnlisted: line.member("event", "overlapsUnlisted")
    case .overlapsListed(let count):
      line.member("event", "overlapsListed")
      line.member("overlaps", count)
    case .came(let person):
      line.member("event", "came")
      RoomEvent.write(person, to: &line)
    case .went(let person):
      line.member("event", "went")
      RoomEvent.write(person, to: &line)
    case .offline(let why):
      line.member("event", "offline")
      line.member("why", why)
    case .back: line.member("event", "back")
    }
    writeWriter(to: &line)
  }

  private func write(_ shape: ShapeName, _ set: Properties?, to line: inout JSONWriter) {
    line.member("shape", shape.id)
    line.member("name", shape.name)
    guard let set else { return }
    line.key("set")
    JSONEncoding.write(set, to: &line)
  }

  private func write(_ first: ShapeName, _ second: ShapeName, to line: inout JSONWriter) {
    line.key("shapes")
    line.beginArray()
    line.value(first.id)
    line.value(second.id)
    line.endArray()
    line.key("names")
    line.beginArray()
    line.value(text: first.name)
    line.value(text: second.name)
    line.endArray()
  }

  static func write(_ person: Person, to line: inout JSONWriter) {
    line.member("actor", person.actor)
    if let name = person.name { line.member("name", name) }
    if let color = person.color { line.member("color", color.text) }
  }

  private func writeWriter(to line: inout JSONWriter) {
    switch by {
    case .person(let person):
      line.member("by", person.actor)
      if let name = person.name { line.member("byName", name) }
    case .several: line.member("by", "several")
    case .oneself: line.member("by", "oneself")
    case nil: break
    }
  }
}
