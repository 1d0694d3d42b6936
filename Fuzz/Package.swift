// swift-tools-version: 6.2
import PackageDescription

// Programs for libFuzzer, in a package of their own: all of Lupine that they use is instrumented with them (`make fuzz`).

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "lupine-fuzz",
    dependencies: [
        // By name, since the folder of a checkout may be called anything.
        .package(name: "lupine", path: "..")
    ],
    targets: [
        .target(name: "CFuzzer"),
        .target(name: "FuzzSupport", dependencies: ["CFuzzer"], swiftSettings: strict),
    ] + ["query", "multipart", "answer"].map(program)
)

/// Linked by lld: gold fails over the fuzzer's library.
func program(_ name: String) -> Target {
    .executableTarget(
        name: "fuzz-\(name)", dependencies: ["FuzzSupport", .product(name: "Lupine", package: "lupine")],
        swiftSettings: strict, linkerSettings: [.unsafeFlags(["-use-ld=lld"])])
}
