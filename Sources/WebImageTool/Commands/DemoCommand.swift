// SPDX-License-Identifier: MIT
internal import WebImage
