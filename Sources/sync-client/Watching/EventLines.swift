import CanvasCRDT

/// Events as text lines, for people. Many similar events at the same time are combined into one line.
struct EventLines {
  /// If one person causes more than this number of similar events at once, the events share one line. Otherwise each
  /// event gets its own line.
  static let alikeMax = 6

  let output: Output
  /// Whether the lines report the user's own edit. Such lines have no times and no author.
  var isReport = false

  func write(_ events: [RoomEvent]) {
    for line in lines(events) { output.write(line) }
  }

  func lines(_ events: [RoomEvent]) -> [String] {
    var lines: [String] = []
    var rest = events[...]
    while let first = rest.first {
      let alike = rest.prefix { $0.kindOfCrowd == first.kindOfCrowd && $0.by == first.by }
      if alike.count > EventLines.alikeMax, let crowd = first.kindOfCrowd {
        lines.append(line(first, crowd.words(alike.count)))
        rest = rest.dropFirst(alike.count)
      } else {
        lines.append(line(first, words(first)))
        rest = rest.dropFirst()
      }
    }
    return lines
  }

  private func line(_ event: RoomEvent, _ words: String) -> String {
    if isReport { return words }
    let time = output.styled(TimeWords.clock(event.milliseconds), .faint)
    guard let by = event.by else { return "\(time)  \(words)" }
    return "\(time)  \(name(by)) \(words)"
  }

  private func name(_ writer: RoomEvent.Writer) -> String {
    switch writer {
    case .person(let person): name(person)
    case .several: output.styled("Meanwhile someone", .faint)
    case .oneself: "You"
    }
  }

  private func name(_ person: Person) -> String {
    output.styled(person.shownName, person.color.map { .color($0) } ?? .plain)
  }

  private func name(_ shape: ShapeName) -> String { output.styled(shape.name.string, .strong) }

  private func words(_ event: RoomEvent) -> String {
    switch event.what {
    case .made(let shape, let set):
      ChangeWords.making(isReport ? "\(name(shape)) (\(shape.id.text))" : name(shape), set, tied: event.tied)
    case .changed(let shape, let set): ChangeWords.sentence(name(shape), printable(set), tied: event.tied)
    case .deleted(let shape, intoBlackHole: false): "deleted \(name(shape))"
    case .deleted(let shape, intoBlackHole: true): "dropped \(name(shape)) into the black hole"
    case .overlapBegan(let first, let second, let share):
      output.styled(
        "⚠ \(first.name.string) overlaps \(second.name.string)" + (share.map { " (\(Figures.percentage($0)))" } ?? ""),
        .warning
      )
    case .overlapEnded(let first, let second):
      output.styled("  \(first.name.string) no longer overlaps \(second.name.string)", .faint)
    case .overlapsUnlisted: output.styled("⚠ there are too many overlaps to list", .warning)
    case .overlapsListed(let count):
      output.styled("⚠ the overlaps can be listed again: \(Figures.counted(count, "overlap"))", .warning)
    case .came(let person): "→ \(name(person)) came"
    case .went(let person): "← \(name(person)) went"
    case .offline(let why): output.styled("offline: \(why); trying again", .bad)
    case .back: output.styled("back online", .good)
    }
  }

  private func printable(_ set: Properties) -> Properties {
    guard set.assigned.contains(.name) else { return set }
    var set = set
    set.name = Text(set.name.string.printable)
    return set
  }
}

/// The kinds of events that can be combined into one line.
enum EventCrowd: Hashable {
  case made
  case changed
  case deleted
  case began
  case ended

  func words(_ count: Int) -> String {
    switch self {
    case .made: "made \(count) shapes"
    case .changed: "changed \(count) shapes"
    case .deleted: "deleted \(count) shapes"
    case .began: "⚠ \(count) pairs of shapes came to overlap"
    case .ended: "  \(count) pairs of shapes no longer overlap"
    }
  }
}

extension RoomEvent {
  fileprivate var kindOfCrowd: EventCrowd? {
    switch what {
    case .made: .made
    case .changed: .changed
    case .deleted: .deleted
    case .overlapBegan: .began
    case .overlapEnded: .ended
    case .overlapsUnlisted, .overlapsListed, .came, .went, .offline, .back: nil
    }
  }
}
