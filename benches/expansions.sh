#!/usr/bin/env bash
# Which expansions differ between a revision and the working tree? Both compilers expand the same sources, those of the
# working tree: all workloads, examples and accepted programs of the tests, the workloads also as for GPUs.
#
#     benches/expansions.sh REVISION [FILE_OR_FOLDER…]     compares; names the functions whose tokens differ; fails if some do
#     benches/expansions.sh table [FILE_OR_FOLDER…]        prints the table of emitted lines a source line (workloads)
#
# What came out lies in target/expansions/{base,head}: `diff -r` shows how. A revision is built once for all comparisons.
set -euo pipefail
cd "$(dirname "$0")/.."

base=${1:?which revision, or table}
shift
target=${CARGO_TARGET_DIR:-target}
out=$(realpath -m "$target")/expansions
everything=(workloads examples tests/programs/tests tests/contract tests/renamed tests/cuda tests/ui/accepted)

# expands with this program into this folder
expand() {
    local program=$1 folder=$2
    shift 2
    rm -rf "$folder"
    mkdir -p "$folder"
    if [ "$1" = everything ]; then
        "$program" "$folder" "${everything[@]:1}" >"$folder/rest.log"
        mv "$folder/table.md" "$folder/table_rest.md"
        "$program" --cuda "$folder" workloads
    else
        "$program" "$folder" "$@"
    fi
}

cargo build -q -p pardiff-compiler --example expansions
head=$target/debug/examples/expansions
if [ "$base" = table ]; then
    [ $# -gt 0 ] || set -- workloads
    expand "$head" "$out/table" "$@"
    cat "$out/table/table.md"
    exit
fi

revision=$(git rev-parse --short "$base^{commit}")
program=$out/of_$revision
if [ ! -x "$program" ]; then
    # the whole path: git takes the end of a path for another work tree of the repository that ends so
    tree=$out/tree
    git worktree remove --force "$tree" 2>/dev/null || true
    git worktree prune
    git worktree add -q --detach "$tree" "$revision"
    cp pardiff-compiler/examples/expansions.rs "$tree/pardiff-compiler/examples/"
    (cd "$tree" && cargo build -q -p pardiff-compiler --example expansions --target-dir "$out/build")
    cp "$out/build/debug/examples/expansions" "$program"
    git worktree remove --force "$tree"
fi

[ $# -gt 0 ] || set -- everything
expand "$program" "$out/base" "$@"
expand "$head" "$out/head" "$@"
different=$(diff -rq --exclude='table*.md' --exclude='*.log' "$out/base" "$out/head" | sed "s#$out/##g" || true)
if [ -n "$different" ]; then
    echo "$different"
    echo "$(wc -l <<<"$different") files differ from $revision; see diff -r $out/base $out/head"
    exit 1
fi
echo "all $(find "$out/head" -name '*.rs' | wc -l) expansions are those of $revision"
