internal import CLibxml2
internal import LupineCore

/// One reading of one document: takes libxml2's events and makes Swift's of them. It lives for the call that reads.
final class XMLRun {
    private let maximumDepth: Int
    private let handle: (XMLEvent) throws -> Void
    private var depth = 0
    private var run: UnsafeMutablePointer<lupine_xml_run>?
    /// What ended the reading, other than the document's own faults.
    private(set) var failure: (any Error)?

    init(maximumDepth: Int, handle: @escaping (XMLEvent) throws -> Void) {
        self.maximumDepth = maximumDepth
        self.handle = handle
    }

    /// - Returns: why the bytes are no document. `nil`: they are one.
    func parse(_ bytes: UnsafeRawBufferPointer, isUTF8: Bool) -> XMLParseError? {
        guard let start = bytes.baseAddress, !bytes.isEmpty, let count = Int32(exactly: bytes.count) else {
            return XMLParseError(
                line: 0, column: 0, reason: bytes.isEmpty ? "the document is empty" : "it is too large")
        }
        var events = Self.events
        let fault = withUnsafePointer(to: &events) { events in
            // The run refers to this object without owning it: the object outlives the call.
            var state = lupine_xml_run(parser: nil, events: events, context: Unmanaged.passUnretained(self).toOpaque())
            return withUnsafeMutablePointer(to: &state) { state in
                run = state
                defer { run = nil }
                return lupine_xml_parse(state, start.assumingMemoryBound(to: CChar.self), count, isUTF8 ? 1 : 0)
            }
        }
        guard fault.code != 0 else { return nil }
        let reason = withUnsafeBytes(of: fault.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return XMLParseError(
            line: Int(fault.line), column: Int(fault.column), reason: reason.isEmpty ? "no XML" : reason.onOneLine)
    }

    private func emit(_ event: XMLEvent) {
        guard failure == nil else { return }
        do { try handle(event) } catch { stop(error) }
    }

    private func stop(_ error: any Error) {
        failure = failure ?? error
        if let run { lupine_xml_stop(run) }
    }

    fileprivate func start(_ name: XMLName, _ attributes: [XMLAttribute]) {
        depth += 1
        guard depth <= maximumDepth else {
            return stop(
                XMLParseError(line: 0, column: 0, reason: "elements lie deeper than \(maximumDepth) in each other"))
        }
        emit(.startElement(name, attributes: attributes))
    }

    fileprivate func end(_ name: XMLName) {
        depth -= 1
        emit(.endElement(name))
    }

    fileprivate func other(_ event: XMLEvent) { emit(event) }

    fileprivate func refuse(entity name: String) {
        stop(XMLParseError(line: 0, column: 0, reason: "the entity \(name.quotedForMessage) is refused"))
    }

    fileprivate static func of(_ context: UnsafeMutableRawPointer?) -> XMLRun? {
        context.map { Unmanaged<XMLRun>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let events = lupine_xml_events(
        start_element: { context, name, prefix, space, count, attributes in
            XMLRun.of(context)?.start(
                XMLName(
                    String(xml: name), prefix: prefix.map { String(xml: $0) }, namespace: space.map { String(xml: $0) }),
                XMLAttribute.list(attributes, count: Int(count)))
        },
        end_element: { context, name, prefix, space in
            XMLRun.of(context)?.end(
                XMLName(
                    String(xml: name), prefix: prefix.map { String(xml: $0) }, namespace: space.map { String(xml: $0) })
            )
        },
        text: { context, bytes, count, isCDATA in
            let text = String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
            XMLRun.of(context)?.other(isCDATA != 0 ? .cdata(text) : .text(text))
        },
        comment: { context, text in XMLRun.of(context)?.other(.comment(String(xml: text))) },
        instruction: { context, target, data in
            XMLRun.of(context)?.other(
                .processingInstruction(target: String(xml: target), data: data.map { String(xml: $0) }))
        },
        entity: { context, name in XMLRun.of(context)?.refuse(entity: name.map { String(xml: $0) } ?? "") })
}

extension String {
    /// A text of libxml2's, which ends with a NUL.
    fileprivate init(xml text: UnsafePointer<UInt8>) { self.init(decodingCString: text, as: UTF8.self) }
}

extension XMLAttribute {
    fileprivate static func list(
        _ pointers: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, count: Int
    ) -> [XMLAttribute] {
        guard let pointers else { return [] }
        return (0..<count).compactMap { index in
            let parts = pointers + index * 5
            guard let name = parts[0], let start = parts[3], let end = parts[4] else { return nil }
            let value = UnsafeBufferPointer(start: start, count: end - start)
            return XMLAttribute(
                name: XMLName(
                    String(xml: name), prefix: parts[1].map { String(xml: $0) },
                    namespace: parts[2].map { String(xml: $0) }),
                value: String(decoding: value, as: UTF8.self))
        }
    }
}
