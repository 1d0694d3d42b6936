extension TextEncoding {
    /// What labels mean (WHATWG encoding, section 4.2), where the system knows them not at all or as something narrower.
    static let labels: [String: TextEncoding] = {
        var labels: [String: TextEncoding] = [:]
        for (encoding, names) in table {
            for name in names.split(separator: " ") { labels[String(name)] = encoding }
        }
        return labels
    }()

    private static let table: [(TextEncoding, String)] = [
        (.utf8, "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8"),
        // As pages are written, UTF-16 without a mark is little-endian; RFC 2781 would have it the other way round.
        (.utf16, "utf-16 utf16 unicode csunicode ucs-2 iso-10646-ucs-2"),
        (.utf32, "utf-32 utf32 ucs-4 iso-10646-ucs-4"),
        (.system("utf-16le"), "utf-16le unicodefeff"),
        (.system("utf-16be"), "utf-16be unicodefffe"),
        // Who says ISO-8859-1 or ASCII sends windows-1252 as often, and no text needs the control characters in between.
        (
            .windows1252,
            "windows-1252 cp1252 x-cp1252 iso-8859-1 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 iso-ir-100 csisolatin1 "
                + "latin1 l1 cp819 ibm819 us-ascii ascii ansi_x3.4-1968"
        ),
        (.system("cp1250"), "x-cp1250"),
        (.system("cp1251"), "x-cp1251"),
        (.system("cp1253"), "x-cp1253"),
        (
            .system("cp1254"),
            "windows-1254 x-cp1254 iso-8859-9 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 iso-ir-148 csisolatin5 latin5 l5"
        ),
        (.system("cp1255"), "x-cp1255"),
        (.system("cp1256"), "x-cp1256"),
        (.system("cp1257"), "x-cp1257"),
        (.system("cp1258"), "x-cp1258"),
        (.system("cp874"), "windows-874 dos-874 iso-8859-11 iso8859-11 iso885911 tis-620"),
        (.system("iso-8859-2"), "iso88592"),
        (.system("iso-8859-3"), "iso88593"),
        (.system("iso-8859-4"), "iso88594"),
        (.system("iso-8859-5"), "iso88595"),
        (.system("iso-8859-6"), "iso88596 iso-8859-6-e iso-8859-6-i csiso88596e csiso88596i"),
        (.system("iso-8859-7"), "iso88597 sun_eu_greek"),
        (.system("iso-8859-8"), "iso88598 iso-8859-8-e iso-8859-8-i csiso88598e csiso88598i logical visual"),
        (.system("iso-8859-10"), "iso885910"),
        (.system("iso-8859-13"), "iso885913"),
        (.system("iso-8859-14"), "iso885914"),
        (.system("iso-8859-15"), "iso885915 csisolatin9 l9"),
        (.system("cp866"), "866"),
        (.system("koi8-r"), "koi koi8 koi8_r"),
        (.system("koi8-u"), "koi8-u koi8-ru"),
        (.system("macintosh"), "x-mac-roman csmacintosh mac"),
        (.system("mac-cyrillic"), "x-mac-cyrillic x-mac-ukrainian"),
        // GB18030 holds GBK, which holds GB2312.
        (
            .system("gb18030"),
            "gb18030 gbk x-gbk cp936 ms936 windows-936 gb2312 gb_2312 gb_2312-80 csgb2312 csiso58gb231280 iso-ir-58 chinese "
                + "euc-cn x-euc-cn"
        ),
        (.system("big5-hkscs"), "big5 big5-hkscs cn-big5 csbig5 x-x-big5"),
        (.system("euc-jp-ms"), "euc-jp x-euc-jp cseucpkdfmtjapanese"),
        (.system("cp932"), "shift_jis shift-jis sjis x-sjis csshiftjis ms932 ms_kanji windows-31j"),
        (
            .system("uhc"),
            "euc-kr cseuckr korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 csksc56011987 iso-ir-149 windows-949"
        ),
    ]
}
