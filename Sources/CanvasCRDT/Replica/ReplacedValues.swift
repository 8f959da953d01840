/// The values that an edit replaced, kept until the server has answered. If it refuses the edit, they are restored.
struct ReplacedValues: Sendable {
  private(set) var values: RegisterSnapshot
  /// The registers whose values from before were written by the same step.
  var ofSameStep = PropertyMask()
  /// The registers that have the edit's value although the edit was refused.
  var standing = PropertyMask()

  init(values: RegisterSnapshot, ofSameStep: PropertyMask = PropertyMask()) {
    self.values = values
    self.ofSameStep = ofSameStep
  }

  /// For edits whose replaced values are not known, because an older version has saved them.
  static var unknown: ReplacedValues { ReplacedValues(values: RegisterSnapshot(isLive: true)) }

  /// Replaces old stamps by the new ones.
  mutating func restamp(_ replaced: ReplacedStamps) { values.restamp(replaced) }

  /// An older edit, which this one replaced, is gone. From now on this edit counts as having replaced what the older
  /// one had replaced.
  mutating func forget(_ stamp: Stamp, _ older: ReplacedValues, of covered: PropertyMask = .all) {
    let touched = values.forget(stamp, older.values, of: covered)
    ofSameStep = ofSameStep.subtracting(touched.subtracting(older.ofSameStep))
  }
}

extension RegisterSnapshot {
  /// Restores what an edit had replaced, in the registers that are among `covered`. Returns which registers changed.
  @discardableResult
  mutating func forget(_ stamp: Stamp, _ replaced: RegisterSnapshot, of covered: PropertyMask = .all) -> PropertyMask {
    var touched = PropertyMask()
    for property in self.covered.intersection(covered) where self.stamp(of: property) == stamp {
      touched.insert(property)
    }
    // If the deletion is gone, everything that it had erased is there again.
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
