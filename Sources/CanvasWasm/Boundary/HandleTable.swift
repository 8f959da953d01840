/// Objects that JavaScript refers to by numbers, their handles. No handle is 0.
struct HandleTable<Value: AnyObject> {
  private var values: [Value?] = []
  private var unused: [UInt32] = []

  mutating func insert(_ value: consuming Value) -> UInt32 {
    if let handle = unused.popLast() {
      values[Int(handle) - 1] = value
      return handle
    }
    values.append(value)
    return UInt32(values.count)
  }

  mutating func remove(_ handle: UInt32) {
    precondition(values[Int(handle) - 1] != nil, "released twice")
    values[Int(handle) - 1] = nil
    unused.append(handle)
  }

  /// The object with this handle. If there is none, this traps, because it is a mistake in our own JavaScript.
  subscript(handle: UInt32) -> Value { values[Int(handle) - 1]! }
}
