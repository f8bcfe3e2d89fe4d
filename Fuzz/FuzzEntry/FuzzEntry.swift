// SPDX-License-Identifier: MIT
import FoundationEssentials
import FuzzShim
import WIEntry

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The bytes as a file; and, since no fuzzer guesses a checksum, as the payload and the fields of one whose checksum is right.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzzOne(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let bytes, count > 0 else { return 0 }
    let data = Data(bytes: bytes, count: count)
    check(data)
    let payload = data.prefix(min(count, Int(data[0])))
    check(payload + EntryFile.trailer(fields: Array(data.dropFirst(payload.count)), payload: payload))
    return 0
}

/// What can be read is read back the same after it was written again, and its summary says the same of it.
func check(_ file: Data) {
    let summary = summary(of: file)
    if let entry = try? EntryFile(file) {
        precondition(summary?.keyText == entry.keyText && summary?.metadata == entry.metadata)
        precondition(summary?.payloadLength == entry.payload.count)
    }
    guard let entry = try? EntryFile(file), let trailer = try? entry.trailer() else { return }
    precondition((try? EntryFile(entry.payload + trailer)) == entry)
}

/// The summary as a list makes it: the length told from the last bytes, then the trailer alone.
func summary(of file: Data) -> EntrySummary? {
    guard let length = try? EntrySummary.length(endOf: Data(file.suffix(32))), length <= file.count else {
        return nil
    }
    return try? EntrySummary(tail: Data(file.suffix(length)), fileSize: file.count)
}

@main struct FuzzEntry {
    static func main() {
        var argumentCount = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(LLVMFuzzerRunDriver(&argumentCount, &arguments, fuzzOne))
    }
}
