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
/// Shown names are updated shape by shape. A change costs the logarithm of the number of shapes with the name, plus a
/// list of the shapes whose number changes. A numbered name can be a little longer than the limit on names.
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
      if join(claim.name, NameGroup.Member(shape, claim)), let numbered = NumberedName(claim.name) {
        groups.change(numbered.name) { $0.take(numbered.number) }
      }
    }
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

  /// Updates the names after an operation that the canvas has already applied. Returns, sorted, the shapes for which
  /// `name(of:)` has changed, including shapes that came or went.
  @discardableResult
  public mutating func update(_ change: Change, in canvas: borrowing Canvas) -> [Identifier] {
    let naming: PropertyMask = [.kind, .name]
    switch change.lifecycle {
    case .absent: return []
    case .present where change.changed.union(change.erased).intersection(naming).isEmpty: return []
    case .present, .appeared, .vanished: return update(change.shape, in: canvas)
    }
  }

  /// Updates the names after any change of one shape.
  @discardableResult
  public mutating func update(_ shape: Identifier, in canvas: borrowing Canvas) -> [Identifier] {
    let before = claims[shape]
    let after = canvas[shape].map { Claim($0) }
    guard before != after else { return [] }
    let nameBefore = name(of: shape)
    var renaming = Renaming()
    claims[shape] = after
    if let before, let after, before.name == after.name {
      move(shape, before, after, &renaming)
    } else {
      if let before { withdraw(shape, before, &renaming) }
      if let after { enter(shape, after, &renaming) }
    }
    var renamed = renaming.shapes(except: shape) { name in groups[name] }
    if name(of: shape) != nameBefore {
      renamed.insert(shape, at: renamed.partitionIndex { renamed[$0] < shape })
    }
    return renamed
  }

  /// Updates the names after a shape's name was written again with the same text, under another stamp. Only the numbers
  /// between the shape's old and new rank change.
  private mutating func move(_ shape: Identifier, _ before: Claim, _ after: Claim, _ renaming: inout Renaming) {
    guard let group = groups[before.name] else { return }
    let from = group.rank(of: NameGroup.Member(shape, before))
    let to = group.rank(of: NameGroup.Member(shape, after))
    renaming.note(before.name, group, ranks: min(from, to)..<min(max(from, to) + 1, group.members.count))
    groups.change(before.name) { group in
      group.remove(NameGroup.Member(shape, before))
      group.insert(NameGroup.Member(shape, after))
    }
  }

  private mutating func withdraw(_ shape: Identifier, _ claim: Claim, _ renaming: inout Renaming) {
    let member = NameGroup.Member(shape, claim)
    guard let group = groups[claim.name] else { return }
    renaming.note(claim.name, group, ranks: group.rank(of: member)..<group.members.count)
    let isFree = group.members.count == 1
    groups.change(claim.name) { $0.remove(member) }
    guard isFree, let numbered = NumberedName(claim.name), let group = groups[numbered.name] else { return }
    renaming.note(numbered.name, group, ranks: group.ranks(from: numbered.number))
    groups.change(numbered.name) { $0.free(numbered.number) }
  }

  private mutating func enter(_ shape: Identifier, _ claim: Claim, _ renaming: inout Renaming) {
    let member = NameGroup.Member(shape, claim)
    if let group = groups[claim.name] {
      renaming.note(claim.name, group, ranks: group.rank(of: member)..<group.members.count)
    }
    guard join(claim.name, member), let numbered = NumberedName(claim.name) else { return }
    if let group = groups[numbered.name] {
      renaming.note(numbered.name, group, ranks: group.ranks(from: numbered.number))
    }
    groups.change(numbered.name) { $0.take(numbered.number) }
  }

  /// Adds a member to the group of its name. Returns whether the group was empty before.
  private mutating func join(_ name: Text, _ member: NameGroup.Member) -> Bool {
    var isFirst = false
    groups.change(name) { group in
      group.insert(member)
      isFirst = group.members.count == 1
    }
    return isFirst
  }
}

extension NameGroup.Member {
  fileprivate init(_ shape: Identifier, _ claim: ShownNames.Claim) {
    self.init(stamp: claim.stamp, shape: shape)
  }
}
