import Testing

@testable import CommandWords

@Suite("Release")
struct ReleaseTests {
  @Test(
    "The version names the commit where the build was told of one",
    arguments: [
      ("c53fd0030807a1b2c3d4e5f60718293a4b5c6d7e", " (c53fd0030807)"),
      ("c53fd0030807", " (c53fd0030807)"),
      ("c53fd0030807-dirty", " (c53fd0030807, changed)"),
      ("$Format:%H$", ""),
      ("", ""),
    ]
  )
  func name(commit: String, wanted: String) {
    #expect(Release.name(commit: commit) == Release.version + wanted)
  }

  @Test("A page of the manual takes what troff would take for a request as text")
  func troff() {
    let manual = Manual(
      program: "try-it",
      summary: "it",
      synopsis: [],
      description: [".TH is a request", "'so is this", "a\\b"],
      groups: [],
      optionsFollow: false,
      commands: [],
      exitCodes: "0."
    )
    let lines = manual.page.split(separator: "\n")
    #expect(lines.contains("\\&.TH is a request") && lines.contains("\\&'so is this") && lines.contains("a\\eb"))
    #expect(lines.contains("try\\-it \\- it"))
  }
}
