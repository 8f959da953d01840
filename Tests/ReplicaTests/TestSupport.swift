import TestSupport

/// Under this name in every file of these tests.
typealias SeededGenerator = TestSupport.SeededGenerator
