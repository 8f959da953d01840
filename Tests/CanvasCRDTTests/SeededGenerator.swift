import TestSupport

/// The name without its module, so that all files of these tests can use it.
typealias SeededGenerator = TestSupport.SeededGenerator
