import Testing

@testable import CanvasCRDT

/// A random key of any allowed length, often with long runs of one digit. Foreign clients can write such keys.
private func foreignKey(using generator: inout SeededGenerator) -> OrderKey {
  let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
  let few: [Character] = ["0", "1", "z", "y", "V"]
  while true {
    let length = [1, 2, 3, 5, 20, 63, 64].randomElement(using: &generator)!
    let isOdd = generator.next() % 2 == 0
    let text = (0..<length).map { _ in (isOdd ? few : digits).randomElement(using: &generator)! }
    let run = [Character](repeating: few.randomElement(using: &generator)!, count: Int(generator.next() % 64))
    if let key = OrderKey(Text(String((run + text).prefix(length)))) { return key }
  }
}

private func isValid(_ key: OrderKey) -> Bool {
  key.text.withBytes { OrderKey($0) } == key
}

@Suite("Drawing order keys")
struct OrderKeyTests {
  @Test("a key is 1 to 64 of 0-9A-Za-z and doesn't end in 0")
  func grammar() {
    for text in ["V", "0V", "00000001", "az09Zz1", String(repeating: "z", count: 64)] {
      #expect(OrderKey(Text(text))?.text.string == text)
    }
    for text in [
      "", "0", "V0", "V-", "v ", "\u{E9}", "V\u{0}", "@", "[", "`", "{", "/", ":", String(repeating: "z", count: 65),
    ] {
      #expect(OrderKey(Text(text)) == nil)
    }
    #expect(OrderKey.middle.description == "V")
    #expect(MemoryLayout<OrderKey>.size <= 16)
  }

  @Test("order is byte order")
  func ordered() throws {
    let texts: [Text] = ["0V", "1", "9zz", "A", "Z", "ZV", "a", "az", "z", "zz"]
    let keys = try texts.map { try #require(OrderKey($0)) }
    var random = SeededGenerator(seed: 1)
    #expect(keys.shuffled(using: &random).sorted() == keys)
  }

  @Test("between any two keys there is a valid one, or none that fits")
  func betweenForeign() throws {
    var generator = SeededGenerator(seed: 20)
    var missing = 0
    for _ in 0..<20_000 {
      let first = foreignKey(using: &generator)
      let second = foreignKey(using: &generator)
      guard first != second else { continue }
      let (lower, upper) = first < second ? (first, second) : (second, first)
      for (below, above) in [(lower, upper), (nil, lower), (upper, nil)] as [(OrderKey?, OrderKey?)] {
        guard let key = try OrderKey.between(below, above, using: &generator) else {
          // No key lies between `below` and `above`. That is allowed only if one of them has all 64 digits.
          missing += 1
          let longest = [below, above].compactMap { $0 }.map(\.length).max()
          #expect(longest == 64)
          continue
        }
        #expect(isValid(key))
        #expect(below.map { $0 < key } ?? true, "\(below!) < \(key)")
        #expect(above.map { key < $0 } ?? true, "\(key) < \(above!)")
      }
    }
    #expect(missing < 4_000)
  }

  @Test("if only one place is left it is found; if none is, the answer is nil")
  func lastPlaces() throws {
    var generator = SeededGenerator(seed: 21)
    let zeros = String(repeating: "0", count: 63)
    let nines = String(repeating: "z", count: 63)
    let key = { (text: String) in try #require(OrderKey(Text(text))) }
    #expect(try OrderKey.between(key(zeros + "1"), key(zeros + "3"), using: &generator) == key(zeros + "2"))
    #expect(try OrderKey.between(key(zeros + "1"), key(zeros + "2"), using: &generator) == nil)
    #expect(try OrderKey.between(nil, key(zeros + "1"), using: &generator) == nil)
    #expect(try OrderKey.between(nil, key(zeros + "2"), using: &generator) == key(zeros + "1"))
    #expect(try OrderKey.between(key(nines + "z"), nil, using: &generator) == nil)
    #expect(try OrderKey.between(key(nines + "y"), nil, using: &generator) == key(nines + "z"))
    #expect(try OrderKey.between(key("A" + nines), key("B"), using: &generator) == nil)
    #expect(try OrderKey.run(of: 3, between: key(zeros + "1"), key(zeros + "5"), using: &generator)?.count == 3)
    #expect(try OrderKey.run(of: 4, between: key(zeros + "1"), key(zeros + "5"), using: &generator) == nil)
  }

  @Test("neighbours that are equal or in the wrong order are an error")
  func outOfOrder() throws {
    var generator = SeededGenerator(seed: 22)
    let a = try #require(OrderKey("A"))
    #expect(throws: OrderKey.Failure.neighboursOutOfOrder) { try OrderKey.between(a, a, using: &generator) }
    #expect(throws: OrderKey.Failure.neighboursOutOfOrder) { try OrderKey.between(.middle, a, using: &generator) }
  }

  @Test("ten thousand keys, each beyond the last, stay under eight bytes, upwards and downwards")
  func beyond() throws {
    var generator = SeededGenerator(seed: 23)
    var highest = OrderKey.middle
    var lowest = OrderKey.middle
    var longest = 0
    for _ in 0..<10_000 {
      let above = try #require(try OrderKey.between(highest, nil, using: &generator))
      let below = try #require(try OrderKey.between(nil, lowest, using: &generator))
      #expect(above > highest && below < lowest)
      #expect(isValid(above) && isValid(below))
      longest = max(longest, above.length, below.length)
      (highest, lowest) = (above, below)
    }
    #expect(longest <= 6)
  }

  @Test("runs are in order, within their neighbours, and short")
  func runs() throws {
    var generator = SeededGenerator(seed: 24)
    let pairs: [(OrderKey?, OrderKey?)] = [
      (nil, nil), (.middle, nil), (nil, .middle), (OrderKey("V"), OrderKey("W")), (OrderKey("Vz"), OrderKey("W")),
      (OrderKey("1"), OrderKey("10001")),
    ]
    for (lower, upper) in pairs {
      for count in [0, 1, 2, 3, 10, 61, 62, 63, 1_000, 10_000] {
        let keys = try #require(try OrderKey.run(of: count, between: lower, upper, using: &generator))
        #expect(keys.count == count)
        #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 })
        #expect(keys.allSatisfy { isValid($0) })
        if let lower, let first = keys.first { #expect(lower < first) }
        if let upper, let last = keys.last { #expect(last < upper) }
        let room = max(lower?.length ?? 0, upper?.length ?? 0)
        #expect(keys.allSatisfy { $0.length <= room + 6 })
      }
    }
  }

  @Test("two people who insert between the same neighbours get different keys")
  func jitter() throws {
    var one = SeededGenerator(seed: 25)
    var other = SeededGenerator(seed: 26)
    let pairs: [(OrderKey?, OrderKey?)] = [
      (nil, nil), (.middle, nil), (nil, .middle), (OrderKey("V"), OrderKey("W")), (OrderKey("V1"), OrderKey("V2")),
    ]
    for (lower, upper) in pairs {
      var same = 0
      for _ in 0..<1_000
      where try OrderKey.between(lower, upper, using: &one) == OrderKey.between(lower, upper, using: &other) {
        same += 1
      }
      #expect(same <= 3)
    }
  }

  @Test("a key between two others is as likely in the lower half as in the upper")
  func centred() throws {
    var generator = SeededGenerator(seed: 27)
    let halfway = try #require(OrderKey("VV"))
    let below = try (0..<1_000).count { _ in
      try OrderKey.between(OrderKey("V"), OrderKey("W"), using: &generator)! < halfway
    }
    #expect((400...600).contains(below))
  }
}

@Suite("Making room in the drawing order")
struct OrderRespacingTests {
  /// Applies the new keys as a room would, and checks that the shapes keep their order.
  private func insert(
    _ count: Int,
    at index: Int,
    into keys: inout [OrderKey],
    using generator: inout SeededGenerator
  ) throws -> Respacing {
    let respacing = try OrderKey.placements(of: count, at: index, in: keys, using: &generator)
    for moved in respacing.moved { keys[moved.offset] = moved.key }
    keys.insert(contentsOf: respacing.inserted, at: index)
    #expect(respacing.inserted.count == count)
    #expect(respacing.inserted.allSatisfy { isValid($0) } && respacing.moved.allSatisfy { isValid($0.key) })
    // Compares two neighbours only if the key of at least one of them has changed.
    let first = min(index, respacing.moved.first?.offset ?? index)
    let last = max(index, (respacing.moved.last?.offset ?? index - 1) + 1) + count
    for place in max(first, 1)...max(min(last, keys.count - 1), 1) where place < keys.count {
      #expect(keys[place - 1] < keys[place])
    }
    return respacing
  }

  @Test(
    "inserting five thousand times into one gap keeps the order and moves few shapes",
    arguments: [0, 1, 2] as [Int]
  )
  func oneGap(way: Int) throws {
    var generator = SeededGenerator(seed: 30)
    var keys = [try #require(OrderKey("A")), try #require(OrderKey("a"))]
    var index = 1
    var moved = 0
    var most = 0
    var respacings = 0
    for round in 0..<5_000 {
      let respacing = try insert(1, at: index, into: &keys, using: &generator)
      moved += respacing.moved.count
      most = max(most, respacing.moved.count)
      if !respacing.moved.isEmpty { respacings += 1 }
      // Each insertion is at a crowded place: above the lowest shape, below the highest, or between the two newest
      // shapes.
      switch way {
      case 0: index = 1
      case 1: index = keys.count - 1
      default: index += round % 2
      }
    }
    #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 })
    #expect(respacings > 0)
    #expect(moved < 5_000 * 3)
    #expect(most <= Respacing.movedPreferredMax)
  }

  @Test("twenty thousand insertions at random places need no respacing and stay short")
  func anywhere() throws {
    var generator = SeededGenerator(seed: 31)
    var keys = [OrderKey.middle]
    for _ in 0..<20_000 {
      let index = Int.random(in: 0...keys.count, using: &generator)
      let respacing = try insert(1, at: index, into: &keys, using: &generator)
      #expect(respacing.moved.isEmpty)
    }
    #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 })
    let lengths = keys.map(\.length)
    #expect(lengths.max()! <= 12)
    #expect(lengths.reduce(0, +) < keys.count * 8)
  }

  @Test("between two shapes that share a key, those on the side with fewer make room")
  func sharedKeys() throws {
    var generator = SeededGenerator(seed: 32)
    for total in 2...12 {
      for index in 1..<total {
        for ends in 0..<4 {
          var keys = [OrderKey](repeating: .middle, count: total)
          if ends & 1 == 1 { keys.insert(try #require(OrderKey("Uz")), at: 0) }
          if ends & 2 == 2 { keys.append(try #require(OrderKey("V1"))) }
          let place = index + (ends & 1)
          let before = keys
          let respacing = try OrderKey.placements(of: 3, at: place, in: keys, using: &generator)
          #expect(respacing.moved.count == min(index, total - index))
          for moved in respacing.moved { keys[moved.offset] = moved.key }
          // All moved shapes are on one side of the gap. They got distinct keys, and the order of all shapes is
          // unchanged.
          #expect(keys.count == before.count && keys == keys.sorted())
          keys.insert(contentsOf: respacing.inserted, at: place)
          #expect(keys == keys.sorted())
          #expect(keys[place - 1] < keys[place] && keys[place + 2] < keys[place + 3])
          #expect(respacing.inserted[0] < respacing.inserted[1] && respacing.inserted[1] < respacing.inserted[2])
        }
      }
    }
  }

  @Test("foreign keys, long and shared, always leave room in the end")
  func foreignKeys() throws {
    var generator = SeededGenerator(seed: 33)
    var respacings = 0
    for _ in 0..<600 {
      let foreign = (0..<Int.random(in: 0...40, using: &generator)).map { _ in foreignKey(using: &generator) }
      var keys = (foreign + foreign.prefix(Int(generator.next() % 10))).sorted()
      for _ in 0..<10 {
        let index = Int.random(in: 0...keys.count, using: &generator)
        let count = Int.random(in: 1...5, using: &generator)
        let respacing = try OrderKey.placements(of: count, at: index, in: keys, using: &generator)
        for moved in respacing.moved { keys[moved.offset] = moved.key }
        keys.insert(contentsOf: respacing.inserted, at: index)
        #expect(keys == keys.sorted())
        #expect(respacing.inserted.allSatisfy { isValid($0) } && respacing.moved.allSatisfy { isValid($0.key) })
        for place in index...(index + count) where place > 0 && place < keys.count {
          #expect(keys[place - 1] < keys[place])
        }
        if !respacing.moved.isEmpty { respacings += 1 }
      }
    }
    #expect(respacings > 100)
  }

  @Test("a missing place and unordered neighbours are errors; placing nothing moves nothing")
  func refused() throws {
    var generator = SeededGenerator(seed: 34)
    let keys = [try #require(OrderKey("b")), try #require(OrderKey("a"))]
    for index in [-1, 3] {
      #expect(throws: OrderKey.Failure.indexOutOfRange) {
        try OrderKey.placements(of: 1, at: index, in: keys, using: &generator)
      }
    }
    #expect(throws: OrderKey.Failure.neighboursOutOfOrder) {
      try OrderKey.placements(of: 1, at: 1, in: keys, using: &generator)
    }
    let none = try OrderKey.placements(of: 0, at: 1, in: [.middle, .middle], using: &generator)
    #expect(none.inserted.isEmpty && none.moved.isEmpty)
  }
}
