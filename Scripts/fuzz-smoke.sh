#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs fuzz targets for some seconds each: fuzz-smoke.sh SECONDS TARGET...
# Where WEBIMAGE_CORPUS is set, its small files of the target's kind are the seeds.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=$1
shift
scratch=.build-fuzz
# What ASan keeps of freed memory counts against the limit.
export ASAN_OPTIONS="quarantine_size_mb=64:${ASAN_OPTIONS:-}"

seeds_of() {
    case $1 in
    FuzzJPEG) echo "jpeg orientation corrupt" ;;
    FuzzWebP) echo "webp webp-anim orientation corrupt" ;;
    FuzzPNG) echo "png apng corrupt" ;;
    FuzzGIF) echo "gif corrupt" ;;
    *) echo "" ;;
    esac
}

for target in "$@"; do
    echo "== $target: building"
    WI_FUZZ=1 "${SWIFT:-swift}" build -c release --product "$target" --scratch-path "$scratch"
    folders=()
    if [[ -n ${WEBIMAGE_CORPUS:-} ]]; then
        for name in $(seeds_of "$target"); do
            if [[ -d $WEBIMAGE_CORPUS/$name ]]; then folders+=("$WEBIMAGE_CORPUS/$name"); fi
        done
    fi
    # What the fuzzer finds goes into the first folder; the others are only read.
    mkdir -p "$scratch/corpus/$target"
    echo "== $target: running for $seconds s"
    "$scratch/release/$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=65536 \
        -print_final_stats=1 -artifact_prefix="$scratch/$target-" "$scratch/corpus/$target" \
        ${folders[@]+"${folders[@]}"}
done
