/// The name that each live shape shows on every screen: its own name, followed by a number if other shapes have the
/// same name.
///
/// The rules, for all shapes with the same name, whether a person gave it or it was generated:
/// - The shape whose name has the least stamp shows the name without a number.
/// - The others show `name 2`, `name 3`, … in the order of their stamps.
/// - A number is skipped if the name with this number is the own name of a live shape.
///
///     Sun, Sun, Sun 2, Sun 2   →   Sun, Sun 3, Sun 2, Sun 2 2
///
/// So no shape's own name equals a numbered name, and two numbered names differ in the name or in the number: shown
/// names are unique. They depend on the canvas alone, and not on the order of events.
///
/// Shown names are updated shape by shape. A change costs the logarithm of the number of shapes with the name. A list of
/// the shapes whose number changes costs as much as there are such shapes. A numbered name can be a little longer than
/// the limit on names.
public struct ShownNames: Sendable {
  /// A live shape's own name, and the stamp under which the name was written.
  fileprivate struct Claim: Hashable {
    let name: Text
    let stamp: Stamp

    init(_ shape: borrowing Shape) {
      name = shape.baseName
      stamp = shape.nameStamp
    }
  }

  private var claims = IdentifierMap<Claim>()
  private var groups = NameTable()

  public init() {}

  public init(_ canvas: Canvas) {
    let named = canvas.shapes.map { shape in (shape: shape.id, claim: Claim(shape)) }
    claims.reserveCapacity(named.count)
    // The shapes are sorted as in a group, so each one is added at the end of its group, which is quick.
    let inOrder = named.sorted { NameGroup.Member($0.shape, $0.claim) < NameGroup.Member($1.shape, $1.claim) }
    for (shape, claim) in inOrder {
      claims[shape] = claim
      join(claim.name, NameGroup.Member(shape, claim), isSorting: false)
    }
    groups.sortNumbers()
  }

  /// How many shapes have a shown name, which is the number of live shapes.
  public var count: Int { claims.count }

  // MARK: - Reading

  /// The name that the shape shows. `nil` if the shape isn't live.
  public func name(of shape: Identifier) -> Text? {
    guard let claim = claims[shape], let group = groups[claim.name] else { return nil }
    let number = group.number(atRank: group.rank(of: NameGroup.Member(shape, claim)))
    return number == 1 ? claim.name : NumberedName(claim.name, number).text
  }

  /// The shape that shows this name. There is at most one.
  public func identifier(named name: Text) -> Identifier? {
    if let bare = groups[name]?.members.first { return bare.shape }
    guard let numbered = NumberedName(name), let group = groups[numbered.name] else { return nil }
    // No shape has this text as its own name. So this number can't be among those that `taken` lists for the group.
    let rank = group.rank(atNumber: numbered.number)
    return rank < group.members.count ? group.members[rank].shape : nil
  }

  // MARK: - Updates from the canvas

  /// Whether a change can change names. Only then do the names need an update.
  public static func concerns(_ change: Change) -> Bool {
    switch change.lifecycle {
    case .absent: false
    case .present: !change.changed.union(change.erased).intersection([.kind, .name]).isEmpty
    case .appeared, .vanished: true
    }
  }

  /// Updates the names after changes of some shapes. Returns, sorted, the shapes for which `name(of:)` has changed,
  /// including shapes that came or went.
  ///
  /// All shapes with the name of an updated shape are looked at, which can be all shapes of the room. That is why one
  /// update takes many shapes.
  @discardableResult
  public mutating func update(_ shapes: some Collection<Identifier>, in canvas: borrowing Canvas) -> [Identifier] {
    var renaming = Renaming()
    var updated: [(shape: Identifier, name: Text?)] = []
    for shape in shapes {
      let (before, after) = (claims[shape], canvas[shape].map { Claim($0) })
      guard before != after else { continue }
      updated.append((shape, name(of: shape)))
      for claim in [before, after] {
        if let claim { renaming.note(claim.name, NameGroup.Member(shape, claim), in: &groups) }
      }
    }
    renaming.noteNumbers(in: groups)
    for (shape, _) in updated { follow(shape, in: canvas) }
    var renamed = renaming.end(in: &groups)
    for (shape, before) in updated where name(of: shape) != before { renamed.insert(shape) }
    return renamed.members.sorted()
  }

  /// Updates the names after a change of one shape, without a list of the shapes whose shown name changes. So this is
  /// quick even if all shapes have the same name.
  public mutating func follow(_ shape: Identifier, in canvas: borrowing Canvas) {
    let (before, after) = (claims[shape], canvas[shape].map { Claim($0) })
    guard before != after else { return }
    claims[shape] = after
    if let before { leave(before.name, NameGroup.Member(shape, before)) }
    if let after { join(after.name, NameGroup.Member(shape, after)) }
  }

  private mutating func leave(_ name: Text, _ member: NameGroup.Member) {
    groups.change(name) { $0.remove(member) }
    guard groups[name]?.members.isEmpty ?? true, let numbered = NumberedName(name) else { return }
    groups.change(numbered.name) { $0.free(numbered.number) }
  }

  /// Adds a member to the group of its name. The first one takes the number of the name from the group without it.
  /// - Parameter isSorting: false if many numbers are taken, which are sorted at the end.
  private mutating func join(_ name: Text, _ member: NameGroup.Member, isSorting: Bool = true) {
    var isFirst = false
    groups.change(name) { group in
      group.insert(member)
      isFirst = group.members.count == 1
    }
    guard isFirst, let numbered = NumberedName(name) else { return }
    groups.change(numbered.name) { $0.take(numbered.number, isSorting: isSorting) }
  }
}

extension NameGroup.Member {
  fileprivate init(_ shape: Identifier, _ claim: ShownNames.Claim) {
    self.init(stamp: claim.stamp, shape: shape)
  }
}
