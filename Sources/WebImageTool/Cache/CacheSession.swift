// SPDX-License-Identifier: MIT
internal import WebImage

/// Does what `webimage cache` was asked for, and prints what came of it.
struct CacheSession {
    let cache: DiskCache
    let console: Console
    let printsJSON: Bool

    var folder: String { cache.configuration.root }

    func stats() {
        let size = cache.totalSize
        guard !printsJSON else {
            return console.print(
                .object([
                    .init("folder", .string(folder)), .init("entries", .integer(size.count)),
                    .init("bytes", .integer(size.bytes.bytes)),
                    .init("byteLimit", .integer(cache.configuration.byteLimit.bytes)),
                ]))
        }
        console.print("folder:   \(printable(folder))")
        console.print("pictures: \(size.count)")
        console.print("size:     \(size.bytes) of \(cache.configuration.byteLimit)")
    }

    func list() {
        guard printsJSON else {
            for entry in cache.entries { console.print(CachedPicture(entry).line) }
            return
        }
        var list = JSONListWriter(console)
        for entry in cache.entries { list.add(CachedPicture(entry).json) }
        list.end()
    }

    func show(_ queries: [CacheQuery]) {
        let coder = Defaults.coders()
        var missing = queries
        var list = JSONListWriter(console)
        var isFirst = true
        for entry in cache.entries {
            guard queries.contains(where: { $0.matches(entry.key) }) else { continue }
            missing.removeAll { $0.matches(entry.key) }
            let picture = CachedPicture(entry)
            let info = picture.info(coder)
            if printsJSON {
                list.add(picture.json(info))
            } else {
                if !isFirst { console.print("") }
                for line in picture.lines(info) { console.print(line) }
            }
            isFirst = false
        }
        if printsJSON { list.end() }
        complain(missing)
    }

    func remove(_ queries: [CacheQuery]) throws(ImageError) {
        var missing = queries
        var bytes = ByteCount.zero
        let count = try cache.removeAll { entry in
            guard queries.contains(where: { $0.matches(entry.key) }) else { return false }
            missing.removeAll { $0.matches(entry.key) }
            bytes = bytes + entry.fileSize
            return true
        }
        reportRemoved(count, bytes)
        complain(missing)
    }

    func trim(onlyExpired: Bool) {
        let before = cache.totalSize
        if onlyExpired { cache.removeExpired() } else { cache.trim() }
        let after = cache.totalSize
        reportRemoved(max(0, before.count - after.count), before.bytes - after.bytes)
    }

    func clear() throws(ImageError) {
        let before = cache.totalSize
        try cache.clear()
        cache.configuration.partialDownloads.removeAll()
        reportRemoved(before.count, before.bytes)
    }

    func verify() {
        let result = cache.verify()
        if printsJSON {
            let damaged = result.damaged.map { damage in
                JSONValue.object([
                    .init("file", .string(damage.path)), .init("fileBytes", .integer(damage.fileSize.bytes)),
                    .init("problem", .string(damage.reason)),
                ])
            }
            console.print(
                .object([
                    .init("folder", .string(folder)), .init("entries", .integer(result.count)),
                    .init("bytes", .integer(result.bytes.bytes)), .init("damaged", .array(damaged)),
                ]))
        } else {
            console.print(
                "\(printable(folder)): \(result.count) pictures are good, \(result.damaged.count) files damaged"
            )
        }
        for damage in result.damaged {
            console.complain(damage.path, ImageError(.cacheRead, stage: .query, damage.reason))
        }
    }

    private func complain(_ missing: [CacheQuery]) {
        for query in missing {
            console.complain(
                query.text,
                ImageError(.cacheMiss, stage: .query, "The cache in “\(folder)” has nothing of it."))
        }
    }

    private func reportRemoved(_ count: Int, _ bytes: ByteCount) {
        guard !printsJSON else {
            return console.print(
                .object([
                    .init("folder", .string(folder)), .init("removedEntries", .integer(count)),
                    .init("removedBytes", .integer(bytes.bytes)),
                ]))
        }
        console.print("\(printable(folder)): removed \(count) pictures, \(bytes)")
    }
}
