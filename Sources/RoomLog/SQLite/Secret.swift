/// The secret from which the server makes each actor's key. It is in the database, so that each copy of the database
/// has it too.
enum Secret {
  private static let bytes = 32

  /// Stores the given secret. If none is given, the stored secret is used. If none is stored, the offered one is, or a
  /// new one is made.
  /// - Returns: the secret.
  static func settle(
    _ given: [UInt8]?,
    orOffered offered: [UInt8]?,
    in database: Database,
    _ random: () -> UInt64
  ) throws(SQLiteFailure) -> [UInt8] {
    let stored = try stored(in: database)
    if let stored, given == nil || given == stored { return stored }
    let secret = given ?? offered ?? (0..<bytes / 8).flatMap { _ in withUnsafeBytes(of: random()) { Array($0) } }
    try put(secret, in: database)
    return secret
  }

  /// The secret is stored as four numbers in the table `marks`. A table of its own would keep older servers from
  /// opening the database.
  static func put(_ secret: [UInt8], in database: Database) throws(SQLiteFailure) {
    let put = try database.statement("INSERT OR REPLACE INTO marks(name, value) VALUES('secret' || ?1, ?2)")
    for index in 0..<secret.count / 8 {
      put.bind(1, Int64(index))
      put.bind(2, secret[index * 8..<index * 8 + 8].reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
      try put.run()
    }
  }

  private static func stored(in database: Database) throws(SQLiteFailure) -> [UInt8]? {
    let query = try database.statement("SELECT value FROM marks WHERE name LIKE 'secret_' ORDER BY name")
    var secret: [UInt8] = []
    while try query.step() {
      let number = query.unsigned(0)
      for shift in [56, 48, 40, 32, 24, 16, 8, 0] as [UInt64] {
        secret.append(UInt8(truncatingIfNeeded: number >> shift))
      }
    }
    return secret.count == bytes ? secret : nil
  }
}
