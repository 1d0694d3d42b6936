import Lupine

struct Gallery: Decodable, Sendable {
    struct Part: Decodable, Sendable {
        var name: String
        var type: String?
        var size: Int
    }
    var parts: [Part]
}

/// POST, a form of a field and a file, which is read while it is sent. The server answers with the parts it found.
func multipartUpload(_ api: HTTPSessionManager, _ stage: Stage) async throws {
    let gallery = try await api.upload(
        "gallery", parameters: ["title": "Texas"], as: Gallery.self,
        multipart: { form in
            try form.append(file: stage.largeFile, name: "picture", fileName: "lupines.png")
        }
    ) { progress in
        stage.showBar(progress.fractionCompleted ?? 0)
    }

    for part in gallery.parts { stage.show("\(part.name): \(part.size) bytes, \(part.type ?? "a field")") }
}
