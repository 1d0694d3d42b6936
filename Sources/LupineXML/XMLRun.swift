internal import CLupineXML
internal import LupineCore

/// One reading of one document: takes libxml2's events and makes Swift's of them. It lives for the call that reads.
final class XMLRun {
    private let limits: XMLLimits
    private let handle: (XMLEvent) throws -> Void
    private var size = 0
    private var depth = 0
    private var run: UnsafeMutablePointer<lupine_xml_run>?
    /// Names, prefixes and namespaces, each made once: a document may write one of a megabyte and mean it in every element. The
    /// address stands for the text, since libxml2 keeps each at one address to the end of the run.
    private var names: [UnsafePointer<UInt8>: String] = [:]
    /// The bytes of all names that were handed out.
    private var namesSize = 0
    /// What ended the reading, other than the document's own faults.
    private(set) var failure: (any Error)?

    init(limits: XMLLimits, handle: @escaping (XMLEvent) throws -> Void) {
        self.limits = limits
        self.handle = handle
    }

    /// - Returns: why the bytes are no document. `nil`: they are one.
    func parse(_ bytes: UnsafeRawBufferPointer, isUTF8: Bool) -> XMLParseError? {
        guard let start = bytes.baseAddress, !bytes.isEmpty, let count = Int32(exactly: bytes.count) else {
            return XMLParseError(
                line: 0, column: 0, reason: bytes.isEmpty ? "the document is empty" : "it is too large")
        }
        size = bytes.count
        var events = Self.events
        let fault = withUnsafePointer(to: &events) { events in
            // The run refers to this object without owning it: the object outlives the call.
            var state = lupine_xml_run(
                events: events, context: Unmanaged.passUnretained(self).toOpaque(), parser: nil, fault: .init())
            return withUnsafeMutablePointer(to: &state) { state in
                run = state
                defer { run = nil }
                lupine_xml_parse(state, start.assumingMemoryBound(to: CChar.self), count, isUTF8 ? 1 : 0)
                return state.pointee.fault
            }
        }
        return fault.code == 0 ? nil : XMLParseError(fault)
    }

    private func emit(_ event: XMLEvent) {
        guard failure == nil else { return }
        do { try handle(event) } catch { stop(error) }
    }

    private func stop(_ error: any Error) {
        failure = failure ?? error
        if let run { lupine_xml_stop(run) }
    }

    private func refuse(_ reason: String) { stop(XMLParseError(line: 0, column: 0, reason: reason)) }

    fileprivate func start(_ name: XMLName, _ attributes: [XMLAttribute]) {
        depth += 1
        guard depth <= limits.maximumDepth else {
            return refuse("elements lie deeper than \(limits.maximumDepth) in each other")
        }
        namesSize = attributes.reduce(namesSize + name.size) { $0 + $1.name.size }
        guard namesSize / size < limits.maximumExpansion else {
            return refuse("with its namespaces written out, it is more than \(limits.maximumExpansion) times its size")
        }
        emit(.startElement(name, attributes: attributes))
    }

    fileprivate func end(_ name: XMLName) {
        depth -= 1
        emit(.endElement(name))
    }

    fileprivate func other(_ event: XMLEvent) { emit(event) }

    fileprivate func refuse(entity name: String) { refuse("the entity \(name.quotedForMessage) is refused") }

    fileprivate func name(
        _ local: UnsafePointer<UInt8>, _ prefix: UnsafePointer<UInt8>?, _ space: UnsafePointer<UInt8>?
    ) -> XMLName {
        XMLName(text(local), prefix: prefix.map(text), namespace: space.map(text))
    }

    private func text(_ address: UnsafePointer<UInt8>) -> String {
        if let text = names[address] { return text }
        let text = String(xml: address)
        names[address] = text
        return text
    }

    fileprivate func attributes(
        _ pointers: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, count: Int
    ) -> [XMLAttribute] {
        guard let pointers else { return [] }
        return (0..<count).compactMap { index in
            let parts = pointers + index * 5
            guard let local = parts[0], let start = parts[3], let end = parts[4] else { return nil }
            let value = UnsafeBufferPointer(start: start, count: end - start)
            return XMLAttribute(
                name: name(local, parts[1], parts[2]), value: String(decoding: value, as: UTF8.self))
        }
    }

    fileprivate static func of(_ context: UnsafeMutableRawPointer?) -> XMLRun? {
        context.map { Unmanaged<XMLRun>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let events = lupine_xml_events(
        start_element: { context, name, prefix, space, count, attributes in
            guard let run = XMLRun.of(context) else { return }
            run.start(run.name(name, prefix, space), run.attributes(attributes, count: Int(count)))
        },
        end_element: { context, name, prefix, space in
            guard let run = XMLRun.of(context) else { return }
            run.end(run.name(name, prefix, space))
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

extension XMLName {
    /// In bytes, written out.
    fileprivate var size: Int { local.utf8.count + (prefix?.utf8.count ?? 0) + (namespace?.utf8.count ?? 0) }
}

extension XMLParseError {
    fileprivate init(_ fault: lupine_xml_fault) {
        let told = withUnsafeBytes(of: fault.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            .onOneLine
        let limit =
            "; libxml2 reads no value, comment, instruction or CDATA section beyond 10,000,000 bytes, no name beyond 50,000"
        self.init(
            line: Int(fault.line), column: Int(fault.column),
            reason: told.isEmpty ? "no XML" : told + (fault.is_limit != 0 ? limit : ""))
    }
}
