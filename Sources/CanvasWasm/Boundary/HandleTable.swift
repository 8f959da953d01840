/// Objects that JavaScript refers to by numbers (handles). No handle is 0.
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

  /// The object with this handle. An unknown handle traps, because it is a bug in our own JavaScript.
  subscript(handle: UInt32) -> Value { values[Int(handle) - 1]! }
}
