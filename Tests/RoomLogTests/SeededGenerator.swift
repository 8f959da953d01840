import TestSupport

/// Lets all files of these tests use this short name.
typealias SeededGenerator = TestSupport.SeededGenerator
