// SPDX-License-Identifier: MIT

/// A picture file format. An open set: a coder of your own brings its own.
public struct ImageFormat: Hashable, Sendable, CustomStringConvertible {
    /// The short lower-case name, such as `jpeg`; two formats are the same when their names are.
    public let name: String
    /// The MIME type, such as `image/jpeg`.
    public let mimeType: String
    /// File extensions without the dot, the usual one first.
    public let fileExtensions: [String]

    /// A format of that name.
    public init(name: String, mimeType: String, fileExtensions: [String]) {
        self.name = name
        self.mimeType = mimeType
        self.fileExtensions = fileExtensions
    }

    /// By name.
    public static func == (left: ImageFormat, right: ImageFormat) -> Bool { left.name == right.name }
    /// By name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
    /// The name.
    public var description: String { name }
    /// The usual extension; the name where the format has none.
    public var fileExtension: String { fileExtensions.first ?? name }

    /// JPEG, ISO/IEC 10918-1.
    public static let jpeg = ImageFormat(
        name: "jpeg", mimeType: "image/jpeg", fileExtensions: ["jpg", "jpeg", "jpe", "jfif"])
    /// PNG, also animated (APNG).
    public static let png = ImageFormat(name: "png", mimeType: "image/png", fileExtensions: ["png", "apng"])
    /// GIF, 87a and 89a.
    public static let gif = ImageFormat(name: "gif", mimeType: "image/gif", fileExtensions: ["gif"])
    /// WebP, also animated.
    public static let webp = ImageFormat(name: "webp", mimeType: "image/webp", fileExtensions: ["webp"])
    /// AVIF.
    public static let avif = ImageFormat(
        name: "avif", mimeType: "image/avif", fileExtensions: ["avif", "avifs"])
    /// HEIC: HEVC pictures in HEIF.
    public static let heic = ImageFormat(
        name: "heic", mimeType: "image/heic", fileExtensions: ["heic", "heics"])
    /// HEIF with another codec.
    public static let heif = ImageFormat(
        name: "heif", mimeType: "image/heif", fileExtensions: ["heif", "heifs", "hif"])
    /// JPEG XL, bare codestream or container.
    public static let jxl = ImageFormat(name: "jxl", mimeType: "image/jxl", fileExtensions: ["jxl"])
    /// JPEG 2000, container or bare codestream.
    public static let jp2 = ImageFormat(
        name: "jp2", mimeType: "image/jp2", fileExtensions: ["jp2", "j2k", "jpf", "jpx", "jpm"])
    /// TIFF.
    public static let tiff = ImageFormat(
        name: "tiff", mimeType: "image/tiff", fileExtensions: ["tiff", "tif"])
    /// Windows bitmap.
    public static let bmp = ImageFormat(name: "bmp", mimeType: "image/bmp", fileExtensions: ["bmp", "dib"])
    /// Windows icon.
    public static let ico = ImageFormat(
        name: "ico", mimeType: "image/vnd.microsoft.icon", fileExtensions: ["ico"])
    /// Windows cursor.
    public static let cur = ImageFormat(name: "cur", mimeType: "image/x-win-bitmap", fileExtensions: ["cur"])
    /// SVG.
    public static let svg = ImageFormat(name: "svg", mimeType: "image/svg+xml", fileExtensions: ["svg"])
    /// PDF.
    public static let pdf = ImageFormat(name: "pdf", mimeType: "application/pdf", fileExtensions: ["pdf"])
    /// Photoshop document.
    public static let psd = ImageFormat(
        name: "psd", mimeType: "image/vnd.adobe.photoshop", fileExtensions: ["psd", "psb"])
    /// Netpbm PAM (P7), the raw form that other tools read.
    public static let pam = ImageFormat(
        name: "pam", mimeType: "image/x-portable-arbitrarymap", fileExtensions: ["pam"])
    /// QOI, the Quite OK Image format.
    public static let qoi = ImageFormat(name: "qoi", mimeType: "image/qoi", fileExtensions: ["qoi"])

    /// Every format named here.
    public static let all: [ImageFormat] = [
        .jpeg, .png, .gif, .webp, .avif, .heic, .heif, .jxl, .jp2, .tiff, .bmp, .ico, .cur, .svg, .pdf, .psd,
        .pam,
        .qoi,
    ]

    /// The known format with this file extension, whatever its case; nil when there is none.
    public static func named(byExtension fileExtension: String) -> ImageFormat? {
        let wanted = fileExtension.lowercased()
        return all.first { $0.fileExtensions.contains(wanted) }
    }

    /// The known format with this MIME type; parameters after `;` and case do not matter.
    public static func named(byMIMEType type: String) -> ImageFormat? {
        let essence = type.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
        return mimeAliases[essence] ?? all.first { $0.mimeType == essence }
    }

    private static let mimeAliases: [String: ImageFormat] = [
        "image/jpg": .jpeg, "image/pjpeg": .jpeg, "image/apng": .png, "image/x-png": .png,
        "image/x-icon": .ico,
        "image/x-ms-bmp": .bmp, "image/x-bmp": .bmp, "image/jpx": .jp2, "application/x-photoshop": .psd,
        "image/avif-sequence": .avif, "image/heic-sequence": .heic, "image/heif-sequence": .heif,
    ]
}
