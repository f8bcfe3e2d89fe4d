// SPDX-License-Identifier: MIT
enum ProcessMemory { static func limit() -> ByteCount { .gibibytes(4) } }
