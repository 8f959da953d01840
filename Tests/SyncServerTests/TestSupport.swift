import TestSupport

/// Lets all files of this target use the generator without importing `TestSupport`.
typealias SeededGenerator = TestSupport.SeededGenerator
