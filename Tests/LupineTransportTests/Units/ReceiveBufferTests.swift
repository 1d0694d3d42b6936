import Testing

@testable import LupineTransport

/// All receive buffers together stay within 8 MiB, as far as 2 KiB each allow.
@Suite struct ReceiveBufferTests {
    private static let kilobyte = 1024
    /// Exchanges, then kilobytes: the size that is configured, and what it becomes.
    private static let rows: [[Int]] = [
        [1, 64, 64], [128, 64, 64], [129, 64, 32], [512, 64, 16], [2000, 64, 4], [5000, 64, 2], [1_000_000, 64, 2],
        [16, 512, 512], [17, 512, 256], [5000, 1, 1],
    ]

    @Test(arguments: rows)
    func sizes(row: [Int]) {
        var configuration = TransportConfiguration()
        configuration.receiveBufferSize = row[1] * Self.kilobyte
        #expect(configuration.receiveBufferSize(among: row[0]) == row[2] * Self.kilobyte)
    }
}
