import CanvasCRDT

/// The same on every machine, so a failing seed fails again.
public typealias SeededGenerator = SplitMix
