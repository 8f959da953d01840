/// The values that an edit replaced. They are stored until the server has answered, because they are restored if it
/// refuses the edit.
struct ReplacedValues: Sendable {
  private(set) var values: RegisterSnapshot
  /// The registers that an earlier edit of the same step had already written.
  var ofSameStep = PropertyMask()
  /// The registers that still have the refused edit's value, because an undo or redo has written it again.
  var standing = PropertyMask()
  /// The registers that lose the refused edit's value.
  var leaving: PropertyMask { PropertyMask.all.subtracting(standing) }

  init(values: RegisterSnapshot, ofSameStep: PropertyMask = PropertyMask()) {
    self.values = values
    self.ofSameStep = ofSameStep
  }

  /// Used for saved edits from an older version of the program, which didn't save the replaced values.
  static var unknown: ReplacedValues { ReplacedValues(values: RegisterSnapshot(isLive: true)) }

  /// If operations got new stamps, replaces their old stamps in these values.
  mutating func restamp(_ replaced: ReplacedStamps) { values.restamp(replaced) }

  /// Called when an older edit was refused. If this edit had replaced the older edit's values, it now counts as having
  /// replaced the values from before the older edit.
  mutating func forget(_ stamp: Stamp, _ older: ReplacedValues, of covered: PropertyMask = .all) {
    let touched = values.forget(stamp, older.values, of: covered)
    ofSameStep = ofSameStep.subtracting(touched.subtracting(older.ofSameStep))
  }
}

extension RegisterSnapshot {
  /// Removes an edit from the snapshot. Registers in `covered` that have the edit's value get back the value that the
  /// edit had replaced. Returns these registers.
  @discardableResult
  mutating func forget(_ stamp: Stamp, _ replaced: RegisterSnapshot, of covered: PropertyMask = .all) -> PropertyMask {
    var touched = PropertyMask()
    for property in self.covered.intersection(covered) where self.stamp(of: property) == stamp {
      touched.insert(property)
    }
    // Removing a deletion brings back everything that it had erased.
    if touched.contains(.deleted) {
      for property in self.covered.intersection(.registers) where self.stamp(of: property) == nil {
        touched.insert(property)
      }
    }
    for property in touched.intersection(replaced.covered) { set(property, from: replaced) }
    if touched.contains(.deleted) || touched.contains(.kind) { isLive = replaced.isLive }
    return touched
  }
}
