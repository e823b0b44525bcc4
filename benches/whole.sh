#!/usr/bin/env bash
# Compares a whole check with the cheapest thing that Terraform does to every file, on a folder of yours:
#
#     benches/whole.sh FOLDER [RUNS]
#
# Prints the median and the least wall-clock time of both and how they relate. OVERRULE and TERRAFORM name the programs;
# without OVERRULE a release build is made.
set -euo pipefail

if [[ $# -lt 1 || ! -d $1 ]]; then
    printf 'usage: %s FOLDER [RUNS]\n' "$0" >&2
    exit 2
fi
folder=$(cd "$1" && pwd)
runs=${2:-7}
terraform=${TERRAFORM:-terraform}
if [[ -z ${OVERRULE:-} ]]; then
    here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
    cargo build --release --locked --quiet --manifest-path "$here/Cargo.toml"
    OVERRULE=${CARGO_TARGET_DIR:-$here/target}/release/overrule
fi

# Milliseconds of each run, ascending; the first, which warms the disk cache, is not counted.
times() {
    local run start end
    for ((run = 0; run <= runs; run++)); do
        start=$(now)
        "$@" >/dev/null 2>&1 || true
        end=$(now)
        ((run == 0)) || printf '%s\n' "$((end - start))"
    done | sort -n
}

now() {
    perl -MTime::HiRes=time -e 'printf "%d", time * 1000'
}

median() { sed -n "$(((runs + 1) / 2))p" <<<"$1"; }
least() { head -n 1 <<<"$1"; }

cd "$folder"
# Both programs fail when they find something; only a check that does not take place is worth nothing.
"$OVERRULE" check --quiet . >/dev/null || (($? == 1)) || { printf 'the check did not take place\n' >&2; exit 1; }
ours=$(times "$OVERRULE" check --quiet .)
theirs=$(times "$terraform" fmt -check -recursive -list=false .)

printf '%-40s %8s %8s\n' "$folder" 'median' 'least'
printf '%-40s %6d ms %5d ms\n' 'overrule check' "$(median "$ours")" "$(least "$ours")"
printf '%-40s %6d ms %5d ms\n' 'terraform fmt -check -recursive' "$(median "$theirs")" "$(least "$theirs")"
awk -v a="$(median "$ours")" -v b="$(median "$theirs")" \
    'BEGIN { printf "overrule takes %.2f of the time\n", a / (b > 0 ? b : 1) }'
