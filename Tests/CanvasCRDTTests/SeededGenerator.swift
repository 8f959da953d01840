import TestSupport

/// All files of these tests use this short name.
typealias SeededGenerator = TestSupport.SeededGenerator
