import Lupine

struct Avatar: Decodable { let url: String }

func upload(_ path: String, to api: HTTPSessionManager) async throws -> Avatar {
    try await api.upload(
        "avatars", parameters: ["user": 42], as: Avatar.self,
        multipart: { form in
            try form.append(file: path, name: "avatar")
            try form.append(text: "me, in \"blue\"", name: "caption")
        }
    ) { progress in
        print(progress.completed, "of", progress.total ?? -1)
    }
}
