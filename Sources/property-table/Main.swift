import Foundation

/// Writes what is generated from the table of properties: web/core/table.ts and the tables in docs/PROTOCOL.md.
@main
struct PropertyTable {
  static let usage = """
    property-table            writes the files that are made of the table of properties; called by `make table`
    property-table --check    changes nothing, and fails where one of them is not what it would write
    """

  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.allSatisfy({ $0 == "--check" }) else { return print(usage) }
    let page = try read(ProtocolPage.path)
    let files = [
      (path: TypeScriptTable.path, text: TypeScriptTable.text),
      (path: ProtocolPage.path, text: try ProtocolPage.filled(page)),
    ]
    var stale: [String] = []
    for file in files where (try? read(file.path)) != file.text {
      stale.append(file.path)
      if arguments.isEmpty { try file.text.write(toFile: file.path, atomically: true, encoding: .utf8) }
    }
    if arguments.isEmpty {
      print(stale.isEmpty ? "everything was up to date" : "written: " + stale.joined(separator: ", "))
    } else if stale.isEmpty {
      print("\(files.count) files are as the table of properties has them")
    } else {
      print("not as the table of properties has it: \(stale.joined(separator: ", ")). Run `make table`.")
      exit(1)
    }
  }

  private static func read(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
}
