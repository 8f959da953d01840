/// The values that an edit replaced, kept until the server has answered. If it refuses the edit, they come back.
struct ReplacedValues: Sendable {
  private(set) var values: RegisterSnapshot
  /// The registers that held what the same step had written before.
  var ofSameStep = PropertyMask()
  /// The registers that hold the edit's value although the edit was refused.
  var standing = PropertyMask()

  init(values: RegisterSnapshot, ofSameStep: PropertyMask = PropertyMask()) {
    self.values = values
    self.ofSameStep = ofSameStep
  }

  /// Where that isn't known, as of edits that an older version has saved.
  static var unknown: ReplacedValues { ReplacedValues(values: RegisterSnapshot(isLive: true)) }

  /// Puts the new stamp in place of each stamp that was replaced.
  mutating func restamp(_ replaced: ReplacedStamps) { values.restamp(replaced) }

  /// An older edit that this one replaced is gone: what that one had replaced was replaced by this.
  mutating func forget(_ stamp: Stamp, _ older: ReplacedValues, of covered: PropertyMask = .all) {
    let touched = values.forget(stamp, older.values, of: covered)
    ofSameStep = ofSameStep.subtracting(touched.subtracting(older.ofSameStep))
  }
}

extension RegisterSnapshot {
  /// Puts what an edit had replaced in the place of what it wrote, where that is among `covered`. Returns which registers
  /// changed.
  @discardableResult
  mutating func forget(_ stamp: Stamp, _ replaced: RegisterSnapshot, of covered: PropertyMask = .all) -> PropertyMask {
    var touched = PropertyMask()
    for property in self.covered.intersection(covered) where self.stamp(of: property) == stamp {
      touched.insert(property)
    }
    // Without a deletion, all that it had erased is there.
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
