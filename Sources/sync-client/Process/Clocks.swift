import Basics
import CanvasCRDT

extension Moment {
  static func now() -> Moment {
    Moment(
      wallMilliseconds: WallClock.milliseconds(),
      monotonicMilliseconds: SteadyClock.milliseconds()
    )
  }
}
