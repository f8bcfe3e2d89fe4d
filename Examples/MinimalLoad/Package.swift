// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
import PackageDescription

let package = Package(
    name: "MinimalLoad",
    dependencies: [.package(name: "WebImage", path: "../..")],
    targets: [
        .executableTarget(
            name: "MinimalLoad",
            dependencies: ["WICore", "WILoaderCurl", "WIJPEG"].map { .product(name: $0, package: "WebImage") }
        )
    ]
)
