/// The groups of shapes that are copied together: no copy is a member of the group that it was copied from (S13).
public struct CopiedGroups {
  private var own = IdentifierMap<Identifier>()

  public init() {}

  /// Puts a copy into the group that stands for its original's.
  public mutating func regroup(_ copy: inout Properties, _ makeUp: () -> Identifier) {
    guard let group = copy.group else { return }
    let new = own[group] ?? makeUp()
    own[group] = new
    copy.group = new
  }
}
