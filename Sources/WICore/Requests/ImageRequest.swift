// SPDX-License-Identifier: MIT
public import FoundationEssentials

/// One wish for a picture: where it comes from, what is done to it, and under which keys it is kept.
///
/// Making one merges the context and computes the keys; using it again and again costs nothing of that. Copying is cheap.
public struct ImageRequest: Sendable {
    /// Where the bytes come from.
    public enum Source: Sendable {
        /// A loader.
        case url(URL)
        /// The program itself.
        case data(Data)
        /// A file that the program names; no loader and no root folder is asked.
        case file(String)
    }

    let plan: RequestPlan

    init(plan: RequestPlan) { self.plan = plan }

    /// A request for what is behind `url`.
    public init(url: URL, options: ImageOptions = [], context: ImageContext = ImageContext()) {
        plan = RequestPlan(.url(url), context.merging(defaults: options.context))
    }

    /// A request for what is behind a URL given as text. Text that is no URL fails when the request is used, with
    /// `invalidURL`.
    public init(_ text: String, options: ImageOptions = [], context: ImageContext = ImageContext()) {
        let context = context.merging(defaults: options.context)
        let url = URL(string: text)
        let made = url.map { RequestPlan(.url($0), context) }
        if let made, made.problem?.code != .invalidURL {
            plan = made
        } else {
            // The error shows what was given, not what became of it.
            plan = RequestPlan(.url(url ?? URL(filePath: "/")), context, problem: .invalidURL(text))
        }
    }

    /// A request for a picture whose encoded bytes the program has. It is kept in caches only when `name` identifies it.
    public init(
        data: Data, name: String? = nil, options: ImageOptions = [], context: ImageContext = ImageContext()
    ) {
        plan = RequestPlan(.data(data), context.merging(defaults: options.context), name: name)
    }

    /// A request for a local file. It is kept in memory only, and only as long as the file does not change.
    public init(file path: String, options: ImageOptions = [], context: ImageContext = ImageContext()) {
        plan = RequestPlan(.file(path), context.merging(defaults: options.context), name: fileIdentity(path))
    }

    /// Where the bytes come from.
    public var source: Source { plan.source }
    /// The merged context.
    public var context: ImageContext { plan.context }
    /// The key of the picture as it is handed over.
    public var key: CacheKey { plan.targetKey }
    /// The key of the bytes it is made from; equal to ``key`` when nothing is done to them.
    public var originalKey: CacheKey { plan.originalKey }
    /// The URL, where the source is one.
    public var url: URL? { plan.url }
}

extension ImageError {
    static func invalidURL(_ text: String) -> ImageError {
        let what = text.isEmpty ? "The URL is empty" : "“\(redacted(text))” is no URL"
        return ImageError(
            .invalidURL, stage: .request, "\(what); give an absolute one such as https://host/picture.jpg.")
    }
}
