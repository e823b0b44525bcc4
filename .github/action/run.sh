#!/usr/bin/env bash
# What action.yml runs: `run.sh plan`, `run.sh install` and `run.sh check`, one after the other.
#
# What the workflow says comes in as INPUT_…, all else is set by the runner. It keeps to bash 3.2, which macOS has.
set -euo pipefail

root=$RUNNER_TEMP/overrule

fail() {
    printf '::error title=overrule::%s\n' "$1"
    exit 2
}

sha256() {
    if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -d ' ' -f 1
}

# Says how the program comes here, and by which key a built one is kept for the next run.
plan() {
    local how key=none
    case $INPUT_VERSION in
        '') how=build ;;
        path) how=path ;;
        *) how=download ;;
    esac
    if [ "$how" = build ]; then
        key=$(cd "$GITHUB_ACTION_PATH" && find Cargo.toml Cargo.lock src policies -type f | LC_ALL=C sort |
            while IFS= read -r file; do cat "$file"; done | sha256)
    fi
    printf 'how=%s\nkey=overrule-%s-%s-%s\n' "$how" "$RUNNER_OS" "$RUNNER_ARCH" "$key" >>"$GITHUB_OUTPUT"
}

# Brings the program, and puts it on PATH for this job.
install() {
    case $INPUT_VERSION in
        '') build ;;
        path)
            command -v overrule >/dev/null || fail 'version is `path`, but no overrule is on PATH'
            return
            ;;
        *) download ;;
    esac
    printf '%s\n' "$root/bin" >>"$GITHUB_PATH"
}

build() {
    # It may have been kept from an earlier run.
    if [ -x "$root/bin/overrule" ] || [ -x "$root/bin/overrule.exe" ]; then return; fi
    command -v cargo >/dev/null || fail 'there is no cargo to build overrule with: install Rust, or set version and checksum'
    cargo install --locked --path "$GITHUB_ACTION_PATH" --root "$root" --target-dir "$RUNNER_TEMP/overrule-build"
}

download() {
    local target repository url archive found
    [ -n "$INPUT_CHECKSUM" ] || fail 'a version needs the checksum of its archive: a tag can be moved'
    case $RUNNER_OS-$RUNNER_ARCH in
        Linux-X64) target=x86_64-unknown-linux-musl ;;
        Linux-ARM64) target=aarch64-unknown-linux-musl ;;
        macOS-X64) target=x86_64-apple-darwin ;;
        macOS-ARM64) target=aarch64-apple-darwin ;;
        Windows-X64) target=x86_64-pc-windows-msvc ;;
        *) fail "no release is built for $RUNNER_OS on $RUNNER_ARCH: leave version out" ;;
    esac
    # Inside of an action the runner does not always say which repository it is from; the path does.
    repository=${GITHUB_ACTION_REPOSITORY:-}
    if [ -z "$repository" ]; then
        repository=$(printf '%s\n' "${GITHUB_ACTION_PATH//\\//}" | sed -n 's,.*/_actions/\([^/]*/[^/]*\)/.*,\1,p')
    fi
    url=$GITHUB_SERVER_URL/$repository/releases/download/$INPUT_VERSION/overrule-$target.tar.gz
    archive=$RUNNER_TEMP/overrule.tar.gz
    curl --fail --silent --show-error --location --retry 3 --output "$archive" "$url" || fail "cannot download $url"
    found=$(sha256 <"$archive")
    [ "$found" = "$INPUT_CHECKSUM" ] || fail "the checksum of $url is $found, and not the one that was given"
    mkdir -p "$root/bin"
    # A tar that is given the name takes the drive that it starts with on Windows for a host.
    tar -xz -C "$root/bin" <"$archive"
}

is_merged_into_its_base() {
    [ "$(git rev-parse HEAD)" = "$GITHUB_SHA" ] && git rev-parse --quiet --verify 'HEAD^2^{commit}' >/dev/null
}

# Prints the revision that the change is compared with; nothing where everything is to be checked.
base() {
    case $INPUT_BASE in
        none) return ;;
        ?*)
            printf '%s\n' "$INPUT_BASE"
            return
            ;;
    esac
    [ "$GITHUB_EVENT_NAME" = pull_request ] || return 0
    # What is checked out by default is the change merged into its base, which is then the first parent.
    if is_merged_into_its_base; then
        printf 'HEAD^1\n'
    elif git merge-base "origin/$GITHUB_BASE_REF" HEAD >/dev/null 2>&1; then
        printf 'origin/%s\n' "$GITHUB_BASE_REF"
    else
        printf '::notice title=overrule::everything is checked: %s\n' \
            'set `fetch-depth: 2` at actions/checkout to be told only of what a change adds' >&2
    fi
}

# Prints the revision that the policy is taken from; nothing where that is what is checked out.
policy_from() {
    local line
    case $INPUT_POLICY_FROM in
        none) return ;;
        ?*)
            printf '%s\n' "$INPUT_POLICY_FROM"
            return
            ;;
    esac
    # Who wrote the workflow says already which policy holds.
    while IFS= read -r line; do
        case ${line%$'\r'} in --policy | --policy=* | --policy-from | --policy-from=* | --isolated) return ;; esac
    done <<<"$INPUT_ARGUMENTS"
    case $GITHUB_EVENT_NAME in
        pull_request) ;;
        # It runs for the base itself, whatever is checked out then.
        pull_request_target)
            if git rev-parse --quiet --verify "$GITHUB_SHA^{commit}" >/dev/null; then printf '%s\n' "$GITHUB_SHA"; fi
            return
            ;;
        *) return ;;
    esac
    if is_merged_into_its_base; then
        printf 'HEAD^1\n'
    elif git rev-parse --quiet --verify "origin/$GITHUB_BASE_REF^{commit}" >/dev/null; then
        printf 'origin/%s\n' "$GITHUB_BASE_REF"
    else
        printf '::warning title=overrule::the policy is that of the change itself: %s\n' \
            'set `fetch-depth: 2` at actions/checkout to take it from the base' >&2
    fi
}

# Appends the lines of $1 that are not empty to `arguments`.
append_lines() {
    local line
    while IFS= read -r line; do
        line=${line%$'\r'}
        [ -z "$line" ] || arguments+=("$line")
    done <<<"$1"
}

# Checks once, hands out what was found, and fails last.
check() {
    local sarif=$RUNNER_TEMP/overrule.sarif summary=$RUNNER_TEMP/overrule.md revision trusted code=0
    rm -f "$sarif" "$summary"
    cd "$INPUT_WORKING_DIRECTORY"
    revision=$(base)
    trusted=$(policy_from)
    # GitHub shows what SARIF has as excused as if it were not.
    arguments=(check --format github --output "sarif=$sarif" --output "markdown=$summary" --hide-excused)
    [ -z "$revision" ] || arguments+=(--base "$revision")
    [ -z "$trusted" ] || arguments+=("--policy-from=$trusted")
    [ -z "$INPUT_ENGINE" ] || arguments+=(--engine "$INPUT_ENGINE")
    [ -z "$INPUT_FAIL_ON" ] || arguments+=(--fail-on "$INPUT_FAIL_ON")
    append_lines "$INPUT_ARGUMENTS"
    arguments+=(--)
    append_lines "$INPUT_PATHS"
    overrule "${arguments[@]}" || code=$?
    if [ -f "$summary" ]; then cat "$summary" >>"$GITHUB_STEP_SUMMARY"; fi
    if [ -f "$sarif" ]; then printf 'sarif=%s\n' "$sarif" >>"$GITHUB_OUTPUT"; fi
    printf 'exit-code=%s\n' "$code" >>"$GITHUB_OUTPUT"
    exit "$code"
}

case ${1-} in
    plan | install | check) "$1" ;;
    *) fail 'run.sh takes plan, install or check' ;;
esac
