// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nothing of it is ever in the build of a program that uses Lupine.

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let plainC: [CSetting] = [
    .define("_GNU_SOURCE"),
    .unsafeFlags(["-std=c11", "-Wall", "-Wextra"]),
]

let package = Package(
    name: "lupine-benchmarks",
    products: [
        .executable(name: "lupine-bench", targets: ["lupine-bench"])
    ],
    dependencies: [
        // By name, since the folder of a checkout may be called anything.
        .package(name: "lupine", path: "..")
    ],
    targets: [
        // What is measured.
        .target(name: "BenchSupport", swiftSettings: strict),
        .target(
            name: "LupineWork", dependencies: ["BenchSupport", .product(name: "Lupine", package: "lupine")],
            swiftSettings: strict),
        .executableTarget(name: "lupine-bench", dependencies: ["BenchSupport", "LupineWork"], swiftSettings: strict),

        // What it is compared with; each peer is a process of its own, and so links only what it uses.
        .target(name: "CPeer", cSettings: plainC, linkerSettings: [.linkedLibrary("curl")]),
        .executableTarget(name: "c-peer", dependencies: ["CPeer"], cSettings: plainC),
        .executableTarget(name: "urlsession-peer", dependencies: ["BenchSupport"], swiftSettings: strict),

        // The counter replaces malloc in whatever links it: only this executable does.
        .target(name: "CAllocationCounter", cSettings: plainC),
        .executableTarget(
            name: "allocation-count", dependencies: ["BenchSupport", "LupineWork", "CPeer", "CAllocationCounter"],
            swiftSettings: strict),

        .executableTarget(
            name: "slow-server", path: "Servers", exclude: ["nginx.conf.template", "sink.c"],
            sources: ["slow-server.c"], cSettings: plainC),
        .executableTarget(
            name: "sink", path: "Servers", exclude: ["nginx.conf.template", "slow-server.c"], sources: ["sink.c"],
            cSettings: plainC),
    ]
)
