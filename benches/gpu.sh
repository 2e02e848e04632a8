#!/usr/bin/env bash
# Everything about GPUs in one call, for a machine that has one, in a few minutes: kernels compiled and run under watch on the CPU, then
# the same gradients on the GPU, under compute-sanitizer where it is installed, and their times. The table is printed last. Without a
# GPU all runs on the CPU in the GPU's place, and says so.
set -euo pipefail
cd "$(dirname "$0")/.."

.ci/nvrtc
library=${CARGO_TARGET_DIR:-target}/nvrtc/nvidia/cuda_nvrtc/lib/libnvrtc.so.12
if [ -z "${PARDIFF_NVRTC:-}" ] && [ -e "$library" ]; then
    PARDIFF_NVRTC=$(realpath "$library")
    export PARDIFF_NVRTC
fi
cargo test --release -p pardiff-cuda-tests
example=(cargo run --release --features cuda --example gmm_gpu --)
bench=(cargo bench -p pardiff-cuda-tests --bench gpu --)
if command -v nvidia-smi >/dev/null && nvidia-smi --query-gpu=name,driver_version --format=csv,noheader; then
    cargo test --release -p pardiff-cuda-tests -- --ignored --nocapture --test-threads=1
    failed=
    if command -v compute-sanitizer >/dev/null; then
        binary=$(cargo test --release -p pardiff-cuda-tests --test it --no-run --message-format=json |
            sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
        for tool in memcheck racecheck synccheck; do
            timeout 100 compute-sanitizer --tool "$tool" --error-exitcode 1 "$binary" --ignored --test-threads=1 \
                gradients_are blocks_of_threads || failed="$failed $tool"
        done
    else
        echo "compute-sanitizer is not installed: not run" >&2
    fi
    "${example[@]}"
    "${bench[@]}"
    if [ -n "$failed" ]; then
        echo "compute-sanitizer found faults, or took too long:$failed" >&2
        exit 1
    fi
else
    echo "NOTHING WAS MEASURED: there is no GPU here; the same kernels run on the CPU in its place" >&2
    "${example[@]}" on-cpu
    "${bench[@]}" on-cpu
fi
