#!/usr/bin/env bash
# Everything about GPUs in one call, for a machine that has one: kernels compiled and run under watch on the CPU, then the gradient of a
# mixture on the GPU against the CPU's, with times. Without a GPU the last part runs on the CPU in the GPU's place, and says so.
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
if command -v nvidia-smi >/dev/null && nvidia-smi --query-gpu=name,driver_version --format=csv,noheader; then
    "${example[@]}"
else
    echo "NOTHING WAS MEASURED: there is no GPU here; the same kernels run on the CPU in its place" >&2
    "${example[@]}" on-cpu
fi
