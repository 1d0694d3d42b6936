// The options of a request, as the help groups them.
extension Help {
    struct Group: Sendable {
        let title: String
        let options: [(option: CommandOption, text: String)]
        let example: String
    }

    static let groups = [
        Group(
            title: "What is sent",
            options: [
                (
                    .header,
                    "a field, instead of a default of that name; 'NAME:' leaves a\ndefault out, 'NAME;' sends an empty value; repeatable"
                ),
                (.query, "a query parameter, percent-encoded; repeatable"),
                (.form, "a form parameter: a body, or for GET, HEAD and DELETE the\nquery; repeatable"),
                (.json, "a member of a JSON object as body, a string; NAME:=JSON for any\nother value; repeatable"),
                (
                    .part,
                    "a part of a multipart form; NAME=@PATH: a file, streamed, and\nNAME=@-: standard input, both with ;type=MIME and\n;filename=NAME behind it where told; repeatable"
                ),
                (.data, "a body; @PATH: from a file, @-: from standard input, streamed"),
                (.contentType, "Content-Type of --data"),
            ],
            example: "lupine post https://api.example.com/posts -j title=Hi -j tags:='[\"a\", \"b\"]'"),
        Group(
            title: "Credentials",
            options: [
                (.user, "with --auth basic"),
                (.auth, "basic: sent at once (digest and any are not in this version)"),
                (.bearer, "Authorization: Bearer TOKEN"),
            ],
            example: "lupine get https://api.example.com/me --user ada:secret --auth basic"),
        Group(
            title: "Time, in seconds and fractions",
            options: [
                (.timeout, "no byte for so long; default 60"),
                (.connectTimeout, "to connect; default 30"),
                (.totalTimeout, "the whole exchange; default none"),
            ],
            example: "lupine get https://example.com/ --connect-timeout 2.5 --total-timeout 30"),
        Group(
            title: "The way",
            options: [
                (.http, "highest version: 1.1 or 2; default 2 over TLS, else 1.1"),
                (.ca, "roots to trust instead of the system's, PEM or DER"),
                (.ipv4, "IPv4 addresses only"),
                (.ipv6, "IPv6 addresses only"),
                (.connectTo, "connect elsewhere than the URL says; repeatable"),
                (.unixSocket, "connect to a Unix domain socket"),
                (.proxy, "instead of http_proxy, https_proxy, all_proxy"),
                (.noProxy, "no proxy, whatever the environment says"),
                (.maxRedirects, "redirects to follow; default 20; 0: the redirect is the answer"),
                (
                    .retry,
                    "further tries of an idempotent request that failed for a reason\nthat may pass, after pauses that grow, or as long as\nRetry-After says, up to 60 s; the body is held in memory\nuntil it is whole, 256 MiB at most; default 0"
                ),
                (.cookies, "a Netscape cookie file, read before and written after"),
            ],
            example: "lupine get https://example.com/ --connect-to example.com:443:127.0.0.1:8443 --ca roots.pem"),
        Group(
            title: "The answer",
            options: [
                (.acceptStatus, "statuses that are no failure; default 200-299"),
                (.acceptType, "content types that are no failure; default any"),
                (
                    .decode,
                    "none, json, plist or text: fail unless the body is that; json\nand plist are printed as JSON, text as UTF-8 by its charset"
                ),
                (.output, "the body into FILE, which appears only whole"),
                (.include, "the head before the body"),
                (.report, "one JSON object instead of the body"),
                (.verbose, "what happens, on standard error"),
                (.showSecrets, "passwords, tokens and cookies are not <redacted>"),
                (.curl, "print the same as a curl command, secrets included; send\nnothing"),
            ],
            example: "lupine get https://example.com/data.json --accept-status 200,404 -o data.json"),
    ]
}
