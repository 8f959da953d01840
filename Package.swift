// swift-tools-version: 6.2
import PackageDescription

// CI sets CANVAS_STRICT, which turns warnings into errors.
let strict = Context.environment["CANVAS_STRICT"] == "1"
let settings: [SwiftSetting] = strict ? [.treatAllWarnings(as: .error)] : []
// Most tests aren't optimised, because optimising takes more time than it saves. The code that they test is optimised.
// Tests with long loops of their own, such as the simulation, are optimised too: they use `settings`. Nothing imports
// these modules. So the compiler doesn't make their interfaces in a pass of its own, which takes a quarter of the time.
let briefly = settings + [.unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"])]

// The commit that is being built, if the environment names it. Otherwise the program reports the commit that `git
// archive` has written into the sources.
let commit = Context.environment["CANVAS_COMMIT"].flatMap { $0.isEmpty ? nil : $0 }

let package = Package(
  name: "CanvasSync",
  products: [
    .library(name: "Basics", targets: ["Basics"]),
    .library(name: "CanvasCRDT", targets: ["CanvasCRDT"]),
    .library(name: "WebSocketLoop", targets: ["WebSocketLoop"]),
  ],
  targets: [
    .target(name: "Basics", swiftSettings: settings),
    .target(
      name: "CanvasCRDT",
      swiftSettings: settings,
      // libm, for rounding and square roots on processors without such instructions.
      linkerSettings: [.linkedLibrary("m")]
    ),
    .target(
      name: "CanvasWasmNumbers",
      dependencies: ["CanvasCRDT"],
      path: "Sources/CanvasWasm/Boundary/Numbers",
      swiftSettings: settings
    ),
    .executableTarget(
      name: "property-table",
      dependencies: ["CanvasCRDT", "CanvasWasmNumbers"],
      swiftSettings: settings
    ),
    .target(
      name: "CRelease",
      cSettings: commit.map { [.define("CANVAS_COMMIT", to: "\"\($0)\"")] } ?? []
    ),
    .target(name: "CommandWords", dependencies: ["CRelease"], swiftSettings: settings),
    .target(name: "TerminalCanvas", dependencies: ["CanvasCRDT"], swiftSettings: settings),
    .systemLibrary(name: "CWebSockets", providers: [.apt(["libwebsockets-dev", "libuv1-dev", "libssl-dev"])]),
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CPostgres"),
    .systemLibrary(name: "CFiles"),
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CBrotli", providers: [.apt(["libbrotli-dev"])]),
    .systemLibrary(name: "CCrypto", providers: [.apt(["libssl-dev"])]),
    .target(name: "WebSocketLoop", dependencies: ["Basics", "CWebSockets"], swiftSettings: settings),
    .target(name: "RoomLog", dependencies: ["Basics", "CSQLite", "CPostgres", "CFiles"], swiftSettings: settings),
    .executableTarget(
      name: "SyncServer",
      dependencies: [
        "Basics", "CanvasCRDT", "CommandWords", "WebSocketLoop", "RoomLog", "CCrypto", "CZlib", "CBrotli",
      ],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "sync-client",
      dependencies: ["Basics", "CanvasCRDT", "CommandWords", "WebSocketLoop", "TerminalCanvas", "CZlib"],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "geometry-dump",
      dependencies: ["CanvasCRDT"],
      path: "Tests/geometry/dump",
      swiftSettings: settings
    ),
    .executableTarget(
      name: "hostile-drawing",
      dependencies: ["CanvasCRDT", "TestSupport"],
      path: "Tests/hostile",
      swiftSettings: settings
    ),
    .executableTarget(
      name: "log-crash-writer",
      dependencies: ["RoomLog"],
      path: "Tests/log-crash-writer",
      swiftSettings: settings
    ),
    .target(name: "TestSupport", dependencies: ["CanvasCRDT"], path: "Tests/TestSupport", swiftSettings: settings),
    // A library for tests. It is a test target, because only a test target can import SyncServer with `@testable`.
    .testTarget(
      name: "ServerModel",
      dependencies: ["SyncServer", "CanvasCRDT", "TestSupport"],
      path: "Tests/ServerModel",
      swiftSettings: settings
    ),
    .testTarget(name: "BasicsTests", dependencies: ["Basics", "TestSupport"], swiftSettings: briefly),
    .testTarget(
      name: "CanvasCRDTTests",
      dependencies: ["CanvasCRDT", "TestSupport"],
      exclude: ["Golden"],
      swiftSettings: briefly
    ),
    .testTarget(
      name: "TerminalCanvasTests",
      dependencies: ["TerminalCanvas", "CanvasCRDT", "TestSupport"],
      exclude: ["Golden"],
      swiftSettings: briefly
    ),
    .testTarget(
      name: "SyncClientTests",
      dependencies: ["sync-client", "SyncServer", "CanvasCRDT", "ServerModel", "TestSupport"],
      swiftSettings: briefly
    ),
    .testTarget(
      name: "WebSocketLoopTests",
      dependencies: ["WebSocketLoop", "Basics", "TestSupport"],
      swiftSettings: briefly
    ),
    .testTarget(
      name: "SyncServerTests",
      dependencies: ["SyncServer", "Basics", "CanvasCRDT", "CommandWords", "ServerModel", "TestSupport"],
      swiftSettings: briefly
    ),
    .testTarget(
      name: "ReplicaTests",
      dependencies: ["CanvasCRDT", "SyncServer", "ServerModel", "TestSupport"],
      swiftSettings: briefly
    ),
    .testTarget(
      name: "SimulationTests",
      dependencies: [
        "SyncServer", "sync-client", "WebSocketLoop", "RoomLog", "CanvasCRDT", "ServerModel", "TestSupport",
      ],
      exclude: ["Found"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "EndToEndTests",
      dependencies: ["SyncServer", "CanvasCRDT", "WebSocketLoop", "RoomLog", "TestSupport"],
      swiftSettings: briefly
    ),
    // A library for tests, like `ServerModel`. It is optimised, because it has long loops.
    .testTarget(
      name: "LogSupport",
      dependencies: ["RoomLog", "CSQLite", "TestSupport"],
      path: "Tests/LogSupport",
      swiftSettings: settings
    ),
    .testTarget(
      name: "RoomLogTests",
      dependencies: ["RoomLog", "Basics", "CSQLite", "LogSupport", "TestSupport", "log-crash-writer"],
      swiftSettings: briefly
    ),
  ],
  swiftLanguageModes: [.v6]
)
