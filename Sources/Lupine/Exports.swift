// What a caller spells after `import Lupine`.
@_exported public import LupineCore
@_exported public import LupineSerialization
@_exported public import struct LupineTransport.CertificateAuthorities
@_exported public import class LupineTransport.CurlTransport
@_exported public import class LupineTransport.EventLoop
@_exported public import struct LupineTransport.ResolveEntry
@_exported public import struct LupineTransport.TransportConfiguration
