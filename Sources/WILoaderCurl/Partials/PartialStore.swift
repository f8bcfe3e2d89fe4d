// SPDX-License-Identifier: MIT
internal import FoundationEssentials
internal import InflateShim
internal import WICore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The folder of beginnings: one file each, which says whose beginning it is. Its calls block; several processes may share
/// it.
///
/// What is damaged, torn or somebody else's is as if it were not there; what cannot be written is not kept.
struct PartialStore: Sendable {
    private let settings: PartialDownloads
    private let files: any FileSystem
    private let time: TimeSource
    private static let magic = Array("WIPART1\n".utf8)
    private static let suffix = ".part"

    init(_ settings: PartialDownloads, files: any FileSystem = LocalFileSystem(), time: TimeSource) {
        self.settings = settings
        self.files = files
        self.time = time
    }

    /// Takes a beginning out; it is put back if there is still no whole.
    func take(_ key: String) -> KeptPartial? {
        let path = path(of: key)
        // A process alone has it: two that write on would be two bodies.
        let own = path + "-\(UInt64.random(in: .min ... .max))"
        guard (try? files.rename(path, to: own)) != nil else { return nil }
        defer { try? files.remove(own) }
        guard isFolderOurs else { return nil }
        let limit = settings.capacity.bytes.addingReportingOverflow(1 << 20)
        guard
            let read = try? files.read(
                own, limit: limit.overflow ? .max : limit.partialValue, usedSince: nil),
            isYoung(read.status)
        else { return nil }
        return Self.parsed(read.data, key)
    }

    func put(_ data: Data, _ body: PartialBody, _ key: String) {
        guard data.count == body.count, data.count >= settings.smallest.bytes,
            data.count <= settings.capacity.bytes
        else { return }
        let temporary = path(of: key) + "-\(UInt64.random(in: .min ... .max))"
        do {
            try files.makeFolder(settings.folder)
            guard isFolderOurs else { return }
            try files.write([Self.head(data, body, key), data], to: temporary)
            _ = try files.publish(temporary, at: path(of: key))
            trim()
        } catch {
            // A beginning is a chance, not a duty.
        }
    }

    /// Removes all beginnings.
    func removeAll() {
        guard isFolderOurs else { return }
        for path in paths { try? files.remove(path) }
    }

    /// Whether nobody else can put a beginning into the folder.
    private var isFolderOurs: Bool {
        guard let status = try? files.status(settings.folder) else { return false }
        return status.isFolder && status.owner == geteuid() && status.rights & 0o022 == 0
    }

    private var paths: [String] {
        ((try? files.list(settings.folder)) ?? []).filter { $0.contains(Self.suffix) }
            .map { settings.folder + "/" + $0 }
    }

    /// Removes what is too old or too much, the oldest first; temporary files of processes that ended too early as well.
    private func trim() {
        var kept: [(path: String, status: FileStatus)] = []
        for path in paths {
            guard let status = try? files.status(path) else { continue }
            if isYoung(status) { kept.append((path, status)) } else { try? files.remove(path) }
        }
        kept.sort { $0.status.modifiedAt > $1.status.modifiedAt }
        var (bytes, count) = (0, 0)
        for entry in kept {
            bytes += entry.status.size
            count += 1
            let isOver = bytes > settings.capacity.bytes || count > settings.countLimit
            if isOver, count > 1 { try? files.remove(entry.path) }
        }
    }

    private func isYoung(_ status: FileStatus) -> Bool {
        time.secondsSince1970() - status.modifiedAt < settings.ageLimit / .seconds(1)
    }

    private func path(of key: String) -> String {
        // FNV-1a; a file says whose it is, so that two keys of one name are no harm.
        let name = key.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return settings.folder + "/" + String(name, radix: 16) + Self.suffix
    }

    // MARK: - The file

    /// Magic, checksum of what follows, lengths of key and tag, total, key, tag; then the bytes.
    private static func head(_ data: Data, _ body: PartialBody, _ key: String) -> Data {
        let (key, tag) = (Array(key.utf8), Array(body.tag.utf8))
        var rest = Data()
        for number in [key.count, tag.count, body.total] { rest.append(contentsOf: bytes(of: number)) }
        rest.append(contentsOf: key + tag)
        return Data(magic + bytes(of: Int(checksum([rest, data])))) + rest
    }

    private static func parsed(_ file: Data, _ key: String) -> KeptPartial? {
        guard file.count > magic.count + 32, file.prefix(magic.count).elementsEqual(magic) else { return nil }
        let numbers = (0..<4).map { number(in: file, at: magic.count + 8 * $0) }
        let start = magic.count + 32
        let (keyCount, tagCount, total) = (numbers[1], numbers[2], numbers[3])
        guard keyCount == key.utf8.count, tagCount > 0, tagCount < 10_000,
            file.count > start + keyCount + tagCount,
            numbers[0] == Int(checksum([file.dropFirst(magic.count + 8)]))
        else { return nil }
        let data = file.dropFirst(start + keyCount + tagCount)
        guard file.dropFirst(start).prefix(keyCount).elementsEqual(key.utf8), data.count < total,
            let tag = String(validating: file.dropFirst(start + keyCount).prefix(tagCount), as: UTF8.self)
        else { return nil }
        return KeptPartial(body: PartialBody(tag: tag, total: total, count: data.count), data: data)
    }

    private static func checksum(_ parts: [Data]) -> UInt32 {
        parts.reduce(0) { sum, part in part.withUnsafeBytes { wi_crc32(sum, $0.baseAddress, $0.count) } }
    }

    private static func bytes(of number: Int) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private static func number(in data: Data, at offset: Int) -> Int {
        let start = data.startIndex + offset
        return data[start..<start + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
