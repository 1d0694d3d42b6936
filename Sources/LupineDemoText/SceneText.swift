/// The text of a scene of the demo, by the name of its file. `Scenes` is a link to the files that the command compiles.
package enum SceneText {
    package static var getDecoded: String { String(decoding: PackageResources.GetDecoded_swift, as: UTF8.self) }
    package static var formPost: String { String(decoding: PackageResources.FormPost_swift, as: UTF8.self) }
    package static var jsonPost: String { String(decoding: PackageResources.JSONPost_swift, as: UTF8.self) }
    package static var streamedUpload: String { String(decoding: PackageResources.StreamedUpload_swift, as: UTF8.self) }
    package static var multipartUpload: String {
        String(decoding: PackageResources.MultipartUpload_swift, as: UTF8.self)
    }
    package static var errorStatus: String { String(decoding: PackageResources.ErrorStatus_swift, as: UTF8.self) }
    package static var wrongType: String { String(decoding: PackageResources.WrongType_swift, as: UTF8.self) }
    package static var propertyList: String { String(decoding: PackageResources.PropertyList_swift, as: UTF8.self) }
    package static var timeout: String { String(decoding: PackageResources.Timeout_swift, as: UTF8.self) }
    package static var cancellation: String { String(decoding: PackageResources.Cancellation_swift, as: UTF8.self) }
    package static var redirects: String { String(decoding: PackageResources.Redirects_swift, as: UTF8.self) }
    package static var cookies: String { String(decoding: PackageResources.Cookies_swift, as: UTF8.self) }
    package static var retries: String { String(decoding: PackageResources.Retries_swift, as: UTF8.self) }
    package static var tokenRefresh: String { String(decoding: PackageResources.TokenRefresh_swift, as: UTF8.self) }
    package static var pauseAndResume: String { String(decoding: PackageResources.PauseAndResume_swift, as: UTF8.self) }
}
