// swift-tools-version: 6.2
import PackageDescription

#if !os(Linux)
    #error("Lupine runs on Linux only: elsewhere Foundation's URLSession has what it offers.")
#endif

/// The same strictness for every target: Swift 6 mode, and imports and existentials that say what they are.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "lupine",
    products: [
        .library(name: "Lupine", targets: ["Lupine"]),
        .library(name: "LupineXML", targets: ["LupineXML"]),
        .library(name: "LupineFoundationBridge", targets: ["LupineFoundationBridge"]),
        .library(name: "LupineReachability", targets: ["LupineReachability"]),
        .library(name: "LupineTesting", targets: ["LupineTesting"]),
        .executable(name: "lupine", targets: ["lupine-command"]),
    ],
    targets: [
        // The C libraries. Each has one shim header: typed wrappers for what Swift cannot import. libxml2's own headers
        // stay in CLupineXML's C: they include ICU's, which are not those of Foundation's ICU.
        .systemLibrary(name: "CLibcurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CCodings", providers: [.apt(["zlib1g-dev", "libbrotli-dev", "libzstd-dev"])]),
        .systemLibrary(name: "CLibpsl", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"])]),
        .systemLibrary(name: "CLibxml2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .target(name: "CLupineXML", dependencies: ["CLibxml2"]),
        .systemLibrary(name: "CLupineLinux"),

        // Each target may depend only on targets above it.
        .target(name: "LupineLock", swiftSettings: strict),
        // Apart from the rest, because it loads neither Foundation nor libcurl nor OpenSSL.
        .target(name: "LupineReachability", dependencies: ["LupineLock", "CLupineLinux"], swiftSettings: strict),
        .target(name: "LupineCore", dependencies: ["LupineLock"], swiftSettings: strict),
        .target(name: "LupineSerialization", dependencies: ["LupineCore"], swiftSettings: strict),
        .target(
            name: "LupineTransport",
            dependencies: ["LupineCore", "CLibcurl", "COpenSSL", "CCodings", "CLupineLinux"],
            swiftSettings: strict),
        .target(
            name: "Lupine",
            dependencies: [
                "LupineCore", "LupineSerialization", "LupineTransport", "LupineReachability", "CLibpsl",
            ],
            swiftSettings: strict),
        // Apart from Lupine, because it loads libxml2.
        .target(
            name: "LupineXML", dependencies: ["Lupine", "LupineCore", "LupineSerialization", "CLupineXML"],
            swiftSettings: strict),
        // Apart from Lupine, because it loads full Foundation and its HTTP client.
        .target(
            name: "LupineFoundationBridge", dependencies: ["Lupine", "LupineCore", "LupineReachability"],
            swiftSettings: strict),
        .target(
            name: "LupineTesting",
            dependencies: ["LupineCore", "COpenSSL", "CLupineLinux"],
            swiftSettings: strict),
        // The text of the demo's scenes: a link to the files that LupineCLI compiles, so that the two cannot differ.
        .target(name: "LupineDemoText", resources: [.embedInCode("Scenes")], swiftSettings: strict),
        .target(
            name: "LupineCLI",
            dependencies: [
                "Lupine", "LupineCore", "LupineSerialization", "LupineTransport", "LupineReachability", "LupineTesting",
                "LupineDemoText", "CLupineLinux",
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "lupine-command", dependencies: ["LupineCLI"], path: "Sources/lupine", swiftSettings: strict),

        // A program that uses this module alone, to see what it loads and how it sleeps.
        .executableTarget(
            name: "lupine-reachability-probe", dependencies: ["LupineReachability"],
            path: "Tests/LupineReachabilityProbe",
            swiftSettings: strict),
        .testTarget(
            name: "LupineReachabilityTests",
            dependencies: ["LupineReachability", "LupineLock", "LupineTesting", "lupine-reachability-probe"],
            swiftSettings: strict),
        .testTarget(name: "LupineCoreTests", dependencies: ["LupineCore", "LupineTesting"], swiftSettings: strict),
        .testTarget(
            name: "LupineSerializationTests", dependencies: ["LupineCore", "LupineSerialization", "LupineTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "LupineTransportTests",
            dependencies: ["LupineCore", "LupineTransport", "LupineTesting", "CLibcurl", "CCodings"],
            swiftSettings: strict),
        .testTarget(
            name: "LupineTestingTests", dependencies: ["LupineCore", "LupineTesting", "COpenSSL"], swiftSettings: strict
        ),
        // What a test can see only in a process of its own: a network namespace, a peak of memory.
        .executableTarget(
            name: "lupine-probe", dependencies: ["Lupine", "LupineCore", "LupineTesting"], path: "Tests/LupineProbe",
            swiftSettings: strict),
        .testTarget(
            name: "LupineTests",
            dependencies: ["Lupine", "LupineCore", "LupineTesting", "CCodings", "lupine-probe", "lupine-command"],
            swiftSettings: strict),
        .testTarget(
            name: "LupineXMLTests", dependencies: ["LupineXML", "Lupine", "LupineCore", "LupineTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "LupineFoundationBridgeTests",
            dependencies: ["LupineFoundationBridge", "Lupine", "LupineCore", "LupineReachability", "LupineTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "LupineCLITests",
            dependencies: ["LupineCLI", "Lupine", "LupineCore", "LupineSerialization", "LupineTesting"],
            swiftSettings: strict),
    ]
)
