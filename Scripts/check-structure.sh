#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The rules of the house that a compiler does not know: which module may import which, that nobody imports the whole
# of Foundation, how long a file may be, and that every file names its licence.
set -euo pipefail
cd "$(dirname "$0")/.."

longest=400
failures=0

complain() {
    echo "check-structure: $*" >&2
    failures=$((failures + 1))
}

# Module, its folder, and the modules of this package that it may import: WICore and a C library of its own, never a
# sibling. RuntimeShim (atomics and the like) is no library. A new arrow is a decision: it is made here.
arrows='
WICore          Sources/WICore          RuntimeShim
WIPixels        Sources/WIPixels        WICore PixelShim RuntimeShim
WIEntry         Sources/WIEntry         WICore XXHashShim
WICache         Sources/WICache         WICore WIEntry RuntimeShim
WILoaderCurl    Sources/WILoaderCurl    WICore CurlShim InflateShim RuntimeShim
WIJPEG          Sources/WICoders/JPEG   WICore WIPixels JPEGShim
WIPNG           Sources/WICoders/PNG    WICore WIPixels PNGShim
WIWebP          Sources/WICoders/WebP   WICore WIPixels WebPShim
WIGIF           Sources/WICoders/GIF    WICore WIPixels GIFShim
WICoders        Sources/WICoders        WICore WIPixels WIJPEG WIPNG WIWebP WIGIF
WITransformers  Sources/WITransformers  WICore WIPixels
WIColor         Sources/WIColor         WICore WIPixels ColorShim
WITestKit       Sources/WITestKit       WICore
CustomLoader    Examples/CustomLoader   WICore
CustomCoder     Examples/CustomCoder    WICore WITransformers
WebImage        Sources/WebImage        *
WebImageTool    Sources/WebImageTool    *
Benchmarks      Sources/Benchmarks      *
'

# Prints "file module" for each import of a Swift file, whatever stands before the word.
imports_of() {
    awk '
        /^[[:space:]]*((@[A-Za-z_]+(\([^)]*\))?|public|package|internal|fileprivate|private)[[:space:]]+)*import[[:space:]]/ {
            line = $0
            sub(/.*import[[:space:]]+/, "", line)
            sub(/^(struct|class|enum|protocol|func|var|let|typealias|actor)[[:space:]]+/, "", line)
            sub(/[^A-Za-z0-9_].*/, "", line)
            print FILENAME, line
        }' "$@" </dev/null
}

is_ours() {
    [[ $1 == WI* || $1 == WebImage* || $1 == *Shim || $1 == CLib* || $1 == Benchmarks ]]
}

# The folder itself, without folders of modules that stand inside it.
swift_files_of() {
    local folder=$1
    if [[ $folder == Sources/WICoders ]]; then
        find "$folder" -maxdepth 1 -name '*.swift'
    else
        find "$folder" -name '*.swift'
    fi
}

known=' '
while read -r module folder allowed; do
    [[ -n $module ]] || continue
    known+="$folder "
    [[ -d $folder ]] || continue
    mapfile -t files < <(swift_files_of "$folder" | sort)
    [[ ${#files[@]} -gt 0 ]] || continue
    while read -r file imported; do
        if [[ $imported == Foundation ]]; then
            complain "$file imports Foundation; FoundationEssentials is what this package allows itself."
        fi
        is_ours "$imported" || continue
        [[ $allowed == '*' || " $allowed " == *" $imported "* ]] ||
            complain "$file: $module may not import $imported (it may: $allowed)."
    done < <(imports_of "${files[@]}")
done <<<"$arrows"

for folder in Sources/*/; do
    folder=${folder%/}
    case $folder in
    Sources/System | Sources/CShims) continue ;;
    esac
    [[ $known == *" $folder "* ]] || complain "$folder is no module that this script knows; add its arrows."
done

roots=()
for root in Sources Tests Fuzz Examples Scripts; do [[ -d $root ]] && roots+=("$root"); done
while read -r file; do
    lines=$(wc -l <"$file")
    if [[ $lines -gt $longest ]]; then
        complain "$file has $lines lines, more than $longest; a file holds one idea."
    fi
    if ! head -n 2 "$file" | grep -q 'SPDX-License-Identifier: MIT'; then
        complain "$file does not name its licence in its first two lines."
    fi
done < <(find "${roots[@]}" -path '*/.build*' -prune -o -path 'Sources/System' -prune -o -type f \
    \( -name '*.swift' -o -name '*.c' -o -name '*.h' -o -name '*.sh' \) -print | sort)

if [[ $failures -gt 0 ]]; then
    echo "check-structure: $failures finding(s)." >&2
    exit 1
fi
echo "check-structure: imports, lengths and licence lines are in order."
