// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that a build of the server doesn't include the benchmarks.
let package = Package(
  name: "CanvasBenchmarks",
  dependencies: [.package(name: "CanvasSync", path: "..")],
  targets: [
    .systemLibrary(name: "CMeasure"),
    .executableTarget(
      name: "canvas-bench",
      dependencies: ["CMeasure", .product(name: "CanvasCRDT", package: "CanvasSync")]
    ),
    .executableTarget(
      name: "canvas-load",
      dependencies: [
        .product(name: "Basics", package: "CanvasSync"),
        .product(name: "CanvasCRDT", package: "CanvasSync"),
        .product(name: "WebSocketLoop", package: "CanvasSync"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
