import Lupine

struct User: Decodable { let id: Int, name: String }
struct Post: Decodable { let id: Int }

let api = HTTPSessionManager(baseURL: "https://api.example.com/v1/")

let user = try await api.get("users/42", as: User.self)
let post = try await api.post("posts", parameters: ["title": "Hi", "tags": ["a", "b"]], as: Post.self)
print(user.name, post.id)
