/// A setting is an option or a limit. Code that reads flags and variables treats both alike.
struct Setting: Sendable {
  let name: String
  let variable: String
  let isSwitch: Bool
  let apply: @Sendable (String, inout Configuration) -> String?

  static let all: [Setting] =
    Option.all.map { Setting(name: $0.name, variable: $0.variable, isSwitch: $0.value == nil, apply: $0.apply) }
    + Limits.flags.map { Setting(name: $0.name, variable: $0.variable, isSwitch: false, apply: $0.apply) }
}
