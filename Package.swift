// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
import PackageDescription

/// Warnings are errors in the gate (`make check`), never for a user who builds the package.
let strict = Context.environment["WI_WERROR"] == "1"
/// ThreadSanitizer does not see into `Mutex`; this tags every lock for it.
let threadSanitizer = Context.environment["WI_TSAN"] == "1"
/// The fuzz targets need libFuzzer's flags, which SwiftPM calls unsafe: they exist only where asked for.
let fuzzing = Context.environment["WI_FUZZ"] == "1"

let swiftSettings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
    + (strict ? [.treatAllWarnings(as: .error)] : [])
    + (threadSanitizer ? [.define("WI_TSAN")] : [])
    + (fuzzing ? [.unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"])] : [])
let cSettings: [CSetting] =
    [.define("_GNU_SOURCE"), .enableWarning("all"), .enableWarning("extra")]
    + (strict ? [.treatAllWarnings(as: .error)] : [])
    + (fuzzing ? [.unsafeFlags(["-fsanitize=fuzzer-no-link,address", "-fno-omit-frame-pointer"])] : [])

func library(_ name: String) -> Product {
    .library(name: name, targets: [name])
}

func system(_ name: String, _ pkgConfig: String, apt: String, brew: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig,
        providers: [.apt([apt]), .brew([brew])])
}

func shim(_ name: String, _ libraries: [Target.Dependency] = [], link: [LinkerSetting] = []) -> Target {
    .target(
        name: name, dependencies: libraries, path: "Sources/CShims/\(name)", publicHeadersPath: "include",
        cSettings: cSettings, linkerSettings: link)
}

func module(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil, exclude: [String] = [])
    -> Target
{
    .target(
        name: name, dependencies: dependencies, path: path ?? "Sources/\(name)", exclude: exclude,
        swiftSettings: swiftSettings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: dependencies + ["WITestKit"], swiftSettings: swiftSettings)
}

func tool(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: path ?? "Sources/\(name)", swiftSettings: swiftSettings,
        linkerSettings: fuzzing ? [.unsafeFlags(["-sanitize=fuzzer,address"])] : [])
}

var products: [Product] = [
    library("WebImage"),
    library("WICore"),
    library("WICache"),
    library("WILoaderCurl"),
    library("WICoders"),
    library("WIJPEG"),
    library("WIPNG"),
    library("WIWebP"),
    library("WIGIF"),
    library("WITransformers"),
    library("WIColor"),
    library("WITestKit"),
    .executable(name: "webimage", targets: ["WebImageTool"]),
    .executable(name: "Benchmarks", targets: ["Benchmarks"]),
]

var targets: [Target] = [
    system("CLibjpeg", "libjpeg", apt: "libjpeg62-turbo-dev", brew: "jpeg-turbo"),
    system("CLibpng", "libpng", apt: "libpng-dev", brew: "libpng"),
    system("CLibwebp", "libwebp", apt: "libwebp-dev", brew: "webp"),
    system("CLibdeflate", "libdeflate", apt: "libdeflate-dev", brew: "libdeflate"),
    system("CLibgif", "libgif", apt: "libgif-dev", brew: "giflib"),
    system("CLibxxhash", "libxxhash", apt: "libxxhash-dev", brew: "xxhash"),
    system("CZlib", "zlib", apt: "zlib1g-dev", brew: "zlib"),
    system("CLcms", "lcms2", apt: "liblcms2-dev", brew: "little-cms2"),

    shim("RuntimeShim"),
    shim("PixelShim", ["RuntimeShim"]),
    shim("JPEGShim", ["CLibjpeg", "RuntimeShim"]),
    shim("PNGShim", ["CLibpng", "CLibdeflate", "RuntimeShim"]),
    shim("WebPShim", ["CLibwebp", "RuntimeShim"]),
    shim("GIFShim"),
    // What our LZW is compared with, in tests alone.
    shim("GIFReferenceShim", ["CLibgif"], link: [.linkedLibrary("gif")]),
    shim("XXHashShim", ["CLibxxhash"]),
    // Not linked: libcurl and the thirty libraries behind it cost every start 13 ms. The shim opens it on first use.
    shim("CurlShim", [], link: [.linkedLibrary("dl")]),
    shim("InflateShim", ["CZlib"]),
    shim("ColorShim", ["CLcms"]),

    module("WICore", ["RuntimeShim"]),
    module("WIPixels", ["WICore", "PixelShim", "RuntimeShim"]),
    module("WIEntry", ["WICore", "XXHashShim"]),
    module("WICache", ["WICore", "WIEntry", "RuntimeShim"]),
    module("WILoaderCurl", ["WICore", "CurlShim", "InflateShim", "RuntimeShim"]),
    module("WIJPEG", ["WICore", "WIPixels", "JPEGShim"], path: "Sources/WICoders/JPEG"),
    module("WIPNG", ["WICore", "WIPixels", "PNGShim"], path: "Sources/WICoders/PNG"),
    module("WIWebP", ["WICore", "WIPixels", "WebPShim"], path: "Sources/WICoders/WebP"),
    module("WIGIF", ["WICore", "WIPixels", "GIFShim"], path: "Sources/WICoders/GIF"),
    module(
        "WICoders", ["WICore", "WIPixels", "WIJPEG", "WIPNG", "WIWebP", "WIGIF"],
        exclude: ["JPEG", "PNG", "WebP", "GIF"]),
    module("WITransformers", ["WICore", "WIPixels"]),
    module("WIColor", ["WICore", "WIPixels", "ColorShim"]),
    module("WebImage", ["WICore", "WICache", "WILoaderCurl", "WICoders", "WITransformers"]),
    module("WITestKit", ["WICore"]),
    tool("WebImageTool", ["WebImage", "WIColor", "WITestKit"]),
    tool("Benchmarks", ["WICore", "WICache", "WILoaderCurl", "WICoders", "WITransformers"]),

    // Examples that the tests compile and run.
    module("CustomLoader", ["WICore"], path: "Examples/CustomLoader/Sources/CustomLoader"),
    module(
        "CustomCoder", ["WICore", "WITransformers"], path: "Examples/CustomCoder/Sources/CustomCoder"),
    tool(
        "MinimalLoad", ["WICore", "WILoaderCurl", "WIJPEG"], path: "Examples/MinimalLoad/Sources/MinimalLoad"),

    tests("WICore", ["WICore"]),
    tests("CustomLoader", ["CustomLoader", "WICore"]),
    tests("CustomCoder", ["CustomCoder", "WICore", "WICoders"]),
    tests("WIPixels", ["WIPixels"]),
    tests("WIEntry", ["WIEntry"]),
    tests("WICache", ["WICache"]),
    tests("WILoaderCurl", ["WILoaderCurl", "CZlib"]),
    tests("WICoders", ["WICoders", "GIFReferenceShim"]),
    tests("WITransformers", ["WITransformers", "WIPixels"]),
    tests("WIColor", ["WIColor", "WICoders"]),
    tests("WebImage", ["WebImage", "WebImageTool", "MinimalLoad"]),
]

if fuzzing {
    targets.append(shim("FuzzShim"))
    for name in ["FuzzJPEG", "FuzzPNG", "FuzzWebP", "FuzzGIF", "FuzzEntry"] {
        targets.append(tool(name, ["WICore", "WICoders", "WIEntry", "FuzzShim"], path: "Fuzz/\(name)"))
        products.append(.executable(name: name, targets: [name]))
    }
}

let package = Package(name: "WebImage", products: products, targets: targets)
