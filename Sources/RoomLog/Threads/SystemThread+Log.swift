import Basics

extension SystemThread {
  static func ofLog(_ body: @escaping @Sendable () -> Void) throws(StorageFault) -> SystemThread {
    do { return try SystemThread(body) } catch { throw .outOfMemory }
  }
}
