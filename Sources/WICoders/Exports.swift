// SPDX-License-Identifier: MIT
@_exported public import WIGIF
@_exported public import WIJPEG
@_exported public import WIPNG
@_exported public import WIWebP
