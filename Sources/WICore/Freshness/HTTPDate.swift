// SPDX-License-Identifier: MIT

/// Dates of HTTP header fields (RFC 9110, section 5.6.7) as seconds since 1970, UTC.
///
/// All three forms are read: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and
/// `Sun Nov  6 08:49:37 1994`. The name of the day is not checked.
enum HTTPDate {
    /// The moment that `text` names; nil when it is no date. `now` places years of two digits, which are never more than
    /// 50 years ahead.
    static func seconds(_ text: String, now: Double) -> Double? {
        let words = text.split(whereSeparator: { " ,-".contains($0) }).map(String.init)
        switch words.count {
        // Sun Nov 6 08:49:37 1994
        case 5 where words[3].contains(":"):
            return seconds(day: words[2], month: words[1], year: words[4], time: words[3], now)
        // Sun 06 Nov 1994 08:49:37 GMT
        case 6 where ["GMT", "UTC"].contains(words[5].uppercased()):
            return seconds(day: words[1], month: words[2], year: words[3], time: words[4], now)
        default: return nil
        }
    }

    private static func seconds(day: String, month: String, year: String, time: String, _ now: Double)
        -> Double?
    {
        guard let day = number(day, 1...31), let month = self.month(month), let year = self.year(year, now),
            let time = secondsOfDay(time)
        else { return nil }
        return Double(days(year: year, month: month, day: day)) * 86_400 + Double(time)
    }

    private static func number(_ text: some StringProtocol, _ range: ClosedRange<Int>) -> Int? {
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        return Int(text).flatMap { range.contains($0) ? $0 : nil }
    }

    private static func month(_ text: String) -> Int? {
        let names = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        return names.firstIndex(of: text.lowercased()).map { $0 + 1 }
    }

    private static func year(_ text: String, _ now: Double) -> Int? {
        guard let year = number(text, 0...9999) else { return nil }
        guard text.utf8.count == 2 else { return text.utf8.count == 4 ? year : nil }
        let thisYear = 1970 + Int((now / 31_556_952).rounded(.down))
        let candidate = thisYear - thisYear % 100 + year
        return candidate > thisYear + 50 ? candidate - 100 : candidate
    }

    /// A leap second counts as the second after it.
    private static func secondsOfDay(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = number(parts[0], 0...23), let minute = number(parts[1], 0...59),
            let second = number(parts[2], 0...60)
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    /// Days since 1970-01-01 in the Gregorian calendar, the year taken to begin in March so that a leap day ends it.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }
}
