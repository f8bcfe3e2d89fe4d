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

/// What can be read is read back the same after it was written again.
func check(_ file: Data) {
    guard let entry = try? EntryFile(file), let trailer = try? entry.trailer() else { return }
    precondition((try? EntryFile(entry.payload + trailer)) == entry)
}

@main struct FuzzEntry {
    static func main() {
        var argumentCount = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(LLVMFuzzerRunDriver(&argumentCount, &arguments, fuzzOne))
    }
}
