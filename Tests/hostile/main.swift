import CanvasCRDT
import Foundation
import TestSupport

// Prints a hostile drawing as JSON, for tests that show it in a page or a terminal: `hostile-drawing KIND SEED SHAPES`.
// Without arguments, prints the kinds.

let arguments = CommandLine.arguments.dropFirst().map { $0 }
guard arguments.count == 3, let kind = HostileDrawing.Kind(rawValue: arguments[0]), let seed = UInt64(arguments[1]),
  let shapes = Int(arguments[2])
else {
  for kind in HostileDrawing.Kind.allCases { print(kind.rawValue) }
  exit(arguments.isEmpty ? 0 : 64)
}
FileHandle.standardOutput.write(Data(HostileDrawing(kind, seed: seed, shapes: shapes).document))
