#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes the pictures of docs/transforming.md with the tool itself, out of docs/demo.png.
#   Scripts/draw-docs.sh [path of webimage]
set -euo pipefail
cd "$(dirname "$0")/.."
webimage=${1:-"$(swift build -c release --product webimage --show-bin-path)/webimage"}
out=docs/transforming
mkdir -p "$out"

convert() { "$webimage" convert "$@"; }

convert docs/demo.png "$out/sea.png" --crop 222x126+1018+128
convert docs/demo.png "$out/badge.png" --crop 32x32+228+98 --round circle
sea=$out/sea.png

# name.extension, then what is done
while read -r name options; do
    [[ -n $name ]] || continue
    # The options are words without spaces.
    # shellcheck disable=SC2086
    convert "$sea" "$out/$name" --quality 85 $options
done <<PICTURES
original.jpg
contain.jpg --resize 120x120
cover.jpg --resize 80x120 --fit cover
cover-attention.jpg --resize 80x120 --fit cover --gravity attention
cover-right.jpg --resize 80x120 --fit cover --gravity right
fill.jpg --resize 80x120 --fit fill
nearest.png --crop 28x20+145+40 --resize 600% --kernel nearest
bilinear.jpg --crop 28x20+145+40 --resize 600% --kernel bilinear
mitchell.jpg --crop 28x20+145+40 --resize 600% --kernel mitchell
lanczos3.jpg --crop 28x20+145+40 --resize 600% --kernel lanczos3
crop.jpg --crop 100x80+110+30
rotate.png --resize 120x --rotate 20
rotate-background.jpg --resize 120x --rotate 20 --background #ffd166
flip.jpg --resize 150x --flip horizontal
pad.jpg --resize 120x --pad 150x150 --background #102a43
round.png --resize 150x --round 24 --border 4,#ffffff
circle.png --resize 120x --round circle --border 3,#ef476f
blur.jpg --resize 150x --blur 4
sharpen.jpg --resize 150x --sharpen 1.5,2
grayscale.jpg --resize 150x --grayscale
sepia.jpg --resize 150x --sepia
invert.jpg --resize 150x --invert
brightness.jpg --resize 150x --brightness 1.4
contrast.jpg --resize 150x --contrast 1.6
saturation.jpg --resize 150x --saturation 2
gamma.jpg --resize 150x --gamma 2
duotone.jpg --resize 150x --duotone #240046,#ffb703
tint.jpg --resize 150x --tint #ff006e80 --blend color
tint-multiply.jpg --resize 150x --tint #ffbe0b --blend multiply
overlay.jpg --resize 150x --overlay $out/badge.png --inset 6 --opacity 0.9
order.png --resize 150x --sepia --round 20 --rotate -8
PICTURES
rm "$sea"
ls -l "$out"
