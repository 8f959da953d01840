// Makes operations that a client with an older vocabulary can read. The client gets the registers that it knows, under
// the same stamps. An unknown kind can be sent as another kind. The digests still agree, because a digest hashes stamps
// and not values.

extension [Operation] {
  /// The operations of this list for a client of this vocabulary. Operations that write only unknown properties are
  /// left out.
  public func told(to vocabulary: Vocabulary) -> [Operation] {
    if vocabulary.knowsAll { return self }
    return compactMap { operation in
      if vocabulary.knows(operation.set) { return operation }
      let set = operation.set.told(to: vocabulary)
      return set.assigned.isEmpty ? nil : Operation(shape: operation.shape, at: operation.at, set: set)
    }
  }
}

extension StatePart {
  public func told(to vocabulary: Vocabulary) -> StatePart {
    if vocabulary.knowsAll { return self }
    var isKnown = true
    forEachRecord { if !vocabulary.knows($0.values) { isKnown = false } }
    if isKnown { return self }
    return changingRecords { record in
      record.keep(vocabulary.properties)
      guard record.values.assigned.contains(.kind) else { return }
      record.restoreValues { $0.kind = vocabulary.told($0.kind) }
    }
  }
}
