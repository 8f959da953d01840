/// The values that an edit replaced. They are stored until the server has answered: if the server refuses the edit,
/// they are restored.
struct ReplacedValues: Sendable {
  private(set) var values: RegisterSnapshot
  /// The registers that an earlier edit of the same step had already written.
  var ofSameStep = PropertyMask()
  /// The registers that still have the edit's value although the edit was refused.
  var standing = PropertyMask()

  init(values: RegisterSnapshot, ofSameStep: PropertyMask = PropertyMask()) {
    self.values = values
    self.ofSameStep = ofSameStep
  }

  /// Stands for replaced values that are not known, because an older version of the program saved the edits without
  /// them.
  static var unknown: ReplacedValues { ReplacedValues(values: RegisterSnapshot(isLive: true)) }

  /// Replaces each stamp that an operation has lost by the operation's new stamp.
  mutating func restamp(_ replaced: ReplacedStamps) { values.restamp(replaced) }

  /// To be called when an older edit was refused whose values this edit had replaced. From now on, this edit counts as
  /// having replaced the values from before the older edit.
  mutating func forget(_ stamp: Stamp, _ older: ReplacedValues, of covered: PropertyMask = .all) {
    let touched = values.forget(stamp, older.values, of: covered)
    ofSameStep = ofSameStep.subtracting(touched.subtracting(older.ofSameStep))
  }
}

extension RegisterSnapshot {
  /// Removes an edit from the snapshot. Registers among `covered` that have the edit's value get back the value that
  /// the edit had replaced. Returns which registers these are.
  @discardableResult
  mutating func forget(_ stamp: Stamp, _ replaced: RegisterSnapshot, of covered: PropertyMask = .all) -> PropertyMask {
    var touched = PropertyMask()
    for property in self.covered.intersection(covered) where self.stamp(of: property) == stamp {
      touched.insert(property)
    }
    // When the deletion is removed, everything that it had erased exists again.
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
