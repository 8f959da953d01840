// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that building the server builds no benchmarks.
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
        .product(name: "CanvasCRDT", package: "CanvasSync"),
        .product(name: "WebSocketLoop", package: "CanvasSync"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
