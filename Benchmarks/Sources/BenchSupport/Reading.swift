internal import Glibc

/// What the process has used up to one moment.
public struct Reading: Sendable {
    public let seconds: Double
    /// User and system time of all threads.
    public let cpuSeconds: Double

    public static func now() -> Reading {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        let whole = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        let micro = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
        return Reading(
            seconds: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9,
            cpuSeconds: Double(whole) + Double(micro) / 1e6)
    }
}

/// What the process holds at one moment.
public struct Footprint: Sendable {
    public let rssMB: Double
    /// The most there ever was. Not `ru_maxrss`: that one is inherited over `exec`.
    public let maxRSSMB: Double
    public let descriptors: Int
    public let threads: Int

    public static func now() -> Footprint {
        let status = text(of: "/proc/self/status")
        return Footprint(
            rssMB: megabytes("VmRSS:", in: status),
            maxRSSMB: megabytes("VmHWM:", in: status),
            descriptors: entries(of: "/proc/self/fd") - 1,  // the folder being read is one of them
            threads: entries(of: "/proc/self/task"))
    }

    private static func megabytes(_ key: String, in status: String) -> Double {
        for line in status.split(separator: "\n") where line.hasPrefix(key) {
            let digits = line.filter { $0.isASCII && $0.isNumber }
            return (Double(digits) ?? 0) / 1024
        }
        return 0
    }

    private static func text(of path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        return String(unsafeUninitializedCapacity: 8192) { max(0, read(descriptor, $0.baseAddress, $0.count)) }
    }

    private static func entries(of path: String) -> Int {
        guard let folder = opendir(path) else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while let entry = readdir(folder) {
            if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
        }
        return count
    }
}

/// Thousands of connections want more descriptors than a shell gives.
public func raiseDescriptorLimit() {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    getrlimit(resource, &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(resource, &limit)
}
