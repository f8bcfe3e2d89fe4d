// SPDX-License-Identifier: MIT

extension String {
    /// What a C array of characters says, up to its NUL; invalid UTF-8 is repaired.
    package init<Characters>(cArray characters: Characters) {
        self = withUnsafeBytes(of: characters) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
