#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs the system libraries that the package links, where they are missing; with --tests also the servers and programs that
# tests talk to. Says nothing when none is.
set -euo pipefail

packages=(
    libcurl4-openssl-dev libjpeg62-turbo-dev libpng-dev zlib1g-dev libdeflate-dev libwebp-dev libgif-dev
    libxxhash-dev liblcms2-dev pkg-config
)
if [[ ${1:-} == --tests ]]; then packages+=(nginx-light openssl libjpeg-turbo-progs webp gifsicle pngcheck); fi
modules=(libcurl libjpeg libpng zlib libdeflate libwebp libxxhash lcms2)

fail() {
    echo "install-dependencies: $*" >&2
    exit 1
}

command -v "${SWIFT:-swift}" >/dev/null ||
    fail "The Swift toolchain (6.2 or later) is not on the PATH; get it from swift.org/install."

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    # Not Debian: look whether the libraries are there, by whatever name they were installed.
    command -v pkg-config >/dev/null || fail "pkg-config is missing; install it and: ${modules[*]}."
    for module in "${modules[@]}"; do
        pkg-config --exists "$module" ||
            fail "The development files of $module are missing; install them with this system's package manager."
    done
    exit 0
fi

is_installed() {
    local status
    status=$(dpkg-query --show --showformat '${db:Status-Status}\n' "$1" 2>/dev/null) || return 1
    grep -qx installed <<<"$status"
}

missing=()
for package in "${packages[@]}"; do
    # pkgconf stands in for pkg-config on newer systems.
    if [[ $package == pkg-config ]] && command -v pkg-config >/dev/null; then continue; fi
    is_installed "$package" || missing+=("$package")
done
if [[ ${#missing[@]} -eq 0 ]]; then exit 0; fi

install=(apt-get install --yes --quiet --no-install-recommends "${missing[@]}")
# RUNLEVEL=1: a server that is installed for the tests is not to be started as a service.
as_root=(env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1)
if [[ $(id -u) -ne 0 ]]; then
    command -v sudo >/dev/null ||
        fail "These packages are missing and only root can install them; run as root: ${install[*]}"
    as_root=(sudo env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1)
fi

echo "Installing ${missing[*]}"
if ! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; then
    "${as_root[@]}" apt-get update --quiet || fail "apt-get update failed; is the network there?"
elif "${as_root[@]}" "${install[@]}"; then
    exit 0
else
    # The lists may name versions that the mirror no longer has.
    "${as_root[@]}" apt-get update --quiet || fail "apt-get update failed; is the network there?"
fi
"${as_root[@]}" "${install[@]}" || fail "The packages could not be installed; run as root: ${install[*]}"
