// SPDX-License-Identifier: MIT
@_exported public import WICache
@_exported public import WICoders
@_exported public import WICore
@_exported public import WILoaderCurl
@_exported public import WITransformers
