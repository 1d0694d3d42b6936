import FoundationEssentials
import Lupine

// What httpbin answers, by its documentation. For ``LivePeerHTTPBinTests``.
extension HTTPBinRow {
    /// What a request said comes back.
    static let reading: [HTTPBinRow] = [
        .init("/get", .json(["args": [:], "origin": "127.0.0.1", "url": "http://HOST/get"])),
        .init("/get?a=1&a=2&b=", .json(["args": ["a": ["1", "2"], "b": ""], "url": "http://HOST/get?a=1&a=2&b="])),
        .init("/get?q=%C3%BC%26%3D+x", .json(["args": ["q": "ü&= x"]])),
        .init("/get?next=/a?b", .json(["args": ["next": "/a?b"]])),
        .init("/headers", .json(["headers": ["Host": "HOST", "Accept": "*/*"]])),
        .init(
            "/headers", headers: ["X-Test": "a, b", "X-Empty": "", "Accept": "text/plain;q=0.5"],
            .json(["headers": ["X-Test": "a, b", "X-Empty": "", "Accept": "text/plain;q=0.5"]])),
        .init("/headers", headers: ["X-Twice": "1", "x-twice": "2"], .json(["headers": ["X-Twice": "1,2"]])),
        .init("/headers", headers: ["Range": "bytes=0-1"], .json(["headers": ["Range": "bytes=0-1"]])),
        .init("/user-agent", .json(["user-agent": .string(SessionConfiguration.userAgent)])),
        .init("/user-agent", headers: ["User-Agent": "me/1"], .json(["user-agent": "me/1"])),
        .init("/ip", .json(["origin": "127.0.0.1"])),
        .init("/cookies", headers: ["Cookie": "a=1; b=zwei"], .json(["cookies": ["a": "1", "b": "zwei"]])),
        .init("/cookies", .json(["cookies": [:]])),
        .init("/anything/a/b%20c?z=1", .json(["method": "GET", "args": ["z": "1"], "data": ""])),
    ]

    /// Methods and bodies come back.
    static let echoing: [HTTPBinRow] = [
        .init(
            .post, "/post", headers: ["Content-Type": "application/json"], body: .text(#"{"a":[1,null,"ü"]}"#),
            .json(["json": ["a": [1, nil, "ü"]], "headers": ["Content-Length": "19"]])),
        .init(
            .post, "/post", headers: ["Content-Type": "application/x-www-form-urlencoded"], body: .text("a=1&b=%26"),
            .json(["form": ["a": "1", "b": "&"], "data": ""])),
        .init(.post, "/post", body: .text("plain"), .json(["data": "plain", "form": [:], "json": nil])),
        .init(.post, "/post", .json(["data": "", "headers": ["Content-Length": "0"]])),
        .init(
            .post, "/post", headers: ["Content-Type": "application/octet-stream"],
            body: .bytes(Data([0, 255, 13, 10])),
            .json(["data": "data:application/octet-stream;base64,AP8NCg=="])),
        .init(
            .post, "/post", headers: ["Content-Type": "multipart/form-data; boundary=B"],
            body: .text("--B\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\nv\r\n--B--\r\n"),
            .json(["form": ["n": "v"]])),
        .init(.put, "/put", body: .text("put me"), .json(["data": "put me", "url": "http://HOST/put"])),
        .init(.patch, "/patch", body: .text("patch me"), .json(["data": "patch me"])),
        .init(.delete, "/delete", .json(["data": "", "args": [:]])),
        .init(.delete, "/delete", body: .text("with a body"), .json(["data": "with a body"])),
        .init(.get, "/anything", body: .text("a GET's body"), .json(["method": "GET", "data": "a GET's body"])),
        .init("TRACE", "/anything", .json(["method": "TRACE"])),
        .init(.put, "/anything/x", body: .text("1"), .json(["method": "PUT", "data": "1"])),
        .init(.head, "/bytes/77", fields: ["Content-Length": "77"], .bytes([])),
        .init(.head, "/get", fields: ["Content-Type": "application/json"], .bytes([])),
        .init(
            .options, "/get", fields: ["Access-Control-Allow-Methods": "GET, POST, PUT, DELETE, PATCH, OPTIONS"],
            .bytes([])),
    ]

    /// Bodies in all codings and framings.
    static let codings: [HTTPBinRow] = [
        .init("/gzip", .json(["gzipped": true, "method": "GET"])),
        .init("/deflate", .json(["deflated": true, "method": "GET"])),
        .init("/brotli", .json(["brotli": true, "method": "GET"])),
        .init(
            "/gzip", headers: ["Accept-Encoding": "gzip"], fields: ["Content-Encoding": "gzip"],
            .start([0x1F, 0x8B, 8])),
        .init("/stream/3", fields: ["Transfer-Encoding": "chunked"], .contains(#""id": 2}"#)),
        .init("/stream-bytes/20?seed=3&chunk_size=7", .start([121, 66, 189, 242, 33, 6, 240, 132], count: 20)),
        .init("/stream-bytes/20000?seed=3&chunk_size=1", .start([121, 66, 189, 242], count: 20_000)),
        .init("/bytes/8?seed=3", .bytes([121, 66, 189, 242, 33, 6, 240, 132])),
        .init("/bytes/0", fields: ["Content-Length": "0"], .bytes([])),
        .init("/bytes/100000?seed=3", .start([121, 66, 189, 242], count: 100_000)),
        .init("/drip?numbytes=5&duration=0.2", .text("*****")),
        .init("/drip?numbytes=2&duration=0&code=202", status: 202, .text("**")),
        .init(
            "/range/26", headers: ["Range": "bytes=2-4"], status: 206, fields: ["Content-Range": "bytes 2-4/26"],
            .text("cde")),
        .init("/range/26?chunk_size=5", fields: ["ETag": "range26"], .text("abcdefghijklmnopqrstuvwxyz")),
        .init("/base64/bHVwaW5lIMO8", .text("lupine ü")),
        .init("/encoding/utf8", fields: ["Content-Type": "text/html; charset=utf-8"], .contains("∮ E⋅da = Q")),
    ]

    /// Kinds of content, and heads that say something.
    static let answers: [HTTPBinRow] = [
        .init("/html", .contains("Herman Melville - Moby-Dick")),
        .init("/json", .json(["slideshow": ["author": "Yours Truly", "title": "Sample Slide Show"]])),
        .init("/xml", fields: ["Content-Type": "application/xml"], .contains("<title>Overview</title>")),
        .init("/robots.txt", .text("User-agent: *\nDisallow: /deny\n")),
        .init("/deny", .contains("YOU SHOULDN'T BE HERE")),
        .init("/forms/post", .contains("action=\"/post\"")),
        .init("/links/3/0", .contains("<a href='/links/3/2'>2</a>")),
        .init("/image/png", fields: ["Content-Type": "image/png"], .start([0x89, 0x50, 0x4E, 0x47], count: 8090)),
        .init("/image/jpeg", fields: ["Content-Type": "image/jpeg"], .start([0xFF, 0xD8, 0xFF], count: 35_588)),
        .init("/image/webp", .start(Array("RIFF".utf8), count: 10_568)),
        .init("/image/svg", fields: ["Content-Type": "image/svg+xml"], .start(Array("<svg".utf8), count: 8984)),
        .init("/image", headers: ["Accept": "image/png"], .start([0x89, 0x50], count: 8090)),
        .init("/cache", .json(["url": "http://HOST/cache"])),
        .init("/cache", headers: ["If-None-Match": "x"], status: 304, .bytes([])),
        .init("/cache/60", fields: ["Cache-Control": "public, max-age=60"], .json(["args": [:]])),
        .init("/etag/abc", fields: ["ETag": "abc"], .json(["args": [:]])),
        .init("/etag/abc", headers: ["If-None-Match": "abc"], status: 304, fields: ["ETag": "abc"], .bytes([])),
        .init("/etag/abc", headers: ["If-Match": "other"], status: 412, .bytes([])),
        .init(
            "/response-headers?X-Multi=1&X-Multi=2&X-One=a%20b",
            fields: ["X-Multi": "1", "X-Multi": "2", "X-One": "a b"],
            .json(["X-Multi": ["1", "2"]])),
        .init(
            "/basic-auth/user/pass", headers: ["Authorization": "Basic dXNlcjpwYXNz"],
            .json(["authenticated": true, "user": "user"])),
        .init(
            "/basic-auth/user/pass", status: 401, fields: ["WWW-Authenticate": "Basic realm=\"Fake Realm\""], .bytes([])
        ),
        .init("/hidden-basic-auth/user/pass", status: 404, .bytes([])),
        .init("/bearer", headers: ["Authorization": "Bearer t0"], .json(["authenticated": true, "token": "t0"])),
        .init("/bearer", status: 401, fields: ["WWW-Authenticate": "Bearer"], .bytes([])),
        .init(
            "/digest-auth/auth/u/p", status: 401,
            fields: ["Set-Cookie": "stale_after=never; Path=/", "Set-Cookie": "fake=fake_value; Path=/"],
            .bytes([])),
        .init(
            "/cookies/set?k=v", status: 302, fields: ["Location": "/cookies", "Set-Cookie": "k=v; Path=/"],
            .contains("Redirecting")),
        .init("/redirect-to?url=/get", status: 302, fields: ["Location": "/get"], .bytes([])),
        .init(
            .post, "/redirect-to?url=/post&status_code=307", body: .text("x"), status: 307,
            fields: ["Location": "/post"], .bytes([])),
        .init("/relative-redirect/1", status: 302, fields: ["Location": "/get"], .bytes([])),
        .init("/absolute-redirect/2", status: 302, .contains("/absolute-redirect/1")),
        .init("/delay/0", .json(["args": [:], "data": ""])),
    ]
}
