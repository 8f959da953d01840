import CMeasure

/// The median of several timings, in seconds. Each time, `prepare` makes a new value outside the timing.
func medianSeconds<Prepared>(
  runs: Int = 7,
  prepare: () -> Prepared,
  _ body: (inout Prepared) -> Void
) -> Double {
  var times: [Double] = []
  let clock = ContinuousClock()
  for _ in 0..<runs {
    var prepared = prepare()
    let start = clock.now
    body(&prepared)
    let duration = clock.now - start
    withExtendedLifetime(prepared) {}
    times.append(Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18)
  }
  return times.sorted()[runs / 2]
}

func medianSeconds(runs: Int = 7, _ body: () -> Void) -> Double {
  medianSeconds(runs: runs, prepare: {}, { _ in body() })
}

/// How many bytes of the heap are in use.
func heapBytes() -> Int {
  let statistics = mallinfo2()
  return Int(statistics.uordblks) + Int(statistics.hblkhd)
}
