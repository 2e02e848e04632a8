#!/usr/bin/env bash
# Everything about GPUs in one call, for a machine that has one, in less than 8 minutes: the gradients on the GPU against those of the CPU,
# under compute-sanitizer where it is installed, the example, times against the roof of the device, and PyTorch and JAX on the same GPU
# where python3 has them. The tables are printed last. Without a GPU all runs on the CPU in the GPU's place, and says so.
#
#     benches/gpu.sh                 builds and runs
#     benches/gpu.sh build FOLDER    builds alone: programs and NVRTC lie in the folder, for a machine without a network
#     benches/gpu.sh run FOLDER      runs what was built, from the same checkout
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
folder=${2:-$target/gpu}

# the programs of a cargo command, by the last one's name
built() {
    local name=$1
    shift
    local program
    program=$(cargo "$@" --message-format=json-render-diagnostics | sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
    cp "$program" "$folder/$name"
}

build() {
    mkdir -p "$folder"
    .ci/nvrtc
    cp "$target"/nvrtc/nvidia/cuda_nvrtc/lib/libnvrtc{.so,-builtins.so}.* "$folder/" 2>/dev/null || true
    built tests test --release -p pardiff-cuda-tests --test it --no-run
    built bench bench -p pardiff-cuda-tests --bench gpu --no-run
    built suite bench --bench suite --no-run
    built example build --release --features cuda --example gmm_gpu
}

failed=()
# a step that may fail, with so many seconds; the others run all the same
step() {
    local seconds=$1 name=$2
    shift 2
    printf '\n== %s\n' "$name"
    timeout "$seconds" "$@" || failed+=("$name")
}

run() {
    if [ -z "${PARDIFF_NVRTC:-}" ] && [ -e "$folder/libnvrtc.so.12" ]; then
        PARDIFF_NVRTC=$(realpath "$folder/libnvrtc.so.12")
        export PARDIFF_NVRTC
    fi
    if ! command -v nvidia-smi >/dev/null || ! nvidia-smi --query-gpu=name,driver_version --format=csv,noheader; then
        echo "NOTHING IS MEASURED: there is no GPU here; the same kernels run on the CPU in its place" >&2
        step 120 "example" "$folder/example" on-cpu
        step 300 "times" "$folder/bench" --bench on-cpu --patience 60 --seconds 280
        return
    fi
    step 60 "gradients on the GPU" "$folder/tests" --ignored --nocapture --test-threads=1
    if command -v compute-sanitizer >/dev/null; then
        for tool in memcheck racecheck synccheck; do
            step 30 "compute-sanitizer $tool" compute-sanitizer --tool "$tool" --error-exitcode 1 \
                "$folder/tests" --ignored --test-threads=1 gradients_are blocks_of_threads
        done
    else
        echo "compute-sanitizer is not installed: not run" >&2
    fi
    step 20 "example" "$folder/example"
    step 150 "times" "$folder/bench" --bench --profile --patience 12 --seconds 140 --json "$folder/ours.json"
    if [ -e "$folder/ours.json" ] && python3 -c "import numpy" 2>/dev/null; then
        step 130 "peers" python3 benches/peers/on_gpu.py "$folder/ours.json" --suite "$folder/suite" --seconds 100 --patience 30
    else
        echo "python3 has no numpy: PyTorch and JAX are not compared" >&2
    fi
}

case ${1:-all} in
build) build ;;
run) run ;;
all)
    build
    run
    ;;
*)
    sed -n '2,/^set/p' "$0" | sed '$d' >&2
    exit 2
    ;;
esac
if [ ${#failed[@]} -gt 0 ]; then
    printf 'failed, or took too long: %s\n' "${failed[@]}" >&2
    exit 1
fi
