// SPDX-License-Identifier: MIT
internal import WICore
