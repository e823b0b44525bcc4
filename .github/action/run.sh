#!/usr/bin/env bash
# What action.yml runs: `run.sh plan`, `run.sh install` and `run.sh check`, one after the other.
#
# What the workflow says comes in as INPUT_…, all else is set by the runner. It keeps to bash 3.2, which macOS has.
set -euo pipefail

root=$RUNNER_TEMP/overrule
step=${1-}

fail() {
    printf '::error title=overrule::%s\n' "$1" >&2
    [ "$step" != check ] || printf 'exit-code=2\n' >>"$GITHUB_OUTPUT"
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

# Goes into the working directory, and sets `top` to the top of the checkout around it; empty where there is none.
#
# A change decides neither where that is nor what is read there. A symbolic link or a submodule in the place of the
# directory would lead elsewhere, and a directory that looks like a bare repository would be one to git.
enter() {
    local workspace
    workspace=$(pwd -P)
    cd "$INPUT_WORKING_DIRECTORY" || fail "there is no directory $INPUT_WORKING_DIRECTORY"
    case $INPUT_WORKING_DIRECTORY in
        /* | [A-Za-z]:*) ;;
        *) [ "$(pwd -P)" = "$(cd "$workspace" && cd -L "$INPUT_WORKING_DIRECTORY" && pwd -L)" ] ||
            fail "a symbolic link is part of the working directory $INPUT_WORKING_DIRECTORY" ;;
    esac
    top=$(pwd -P)
    while [ ! -e "$top/.git" ]; do
        case $top in */*[!/]*) top=${top%/*} ;; *) top='' ; return ;; esac
    done
    if [ -n "$(in_top rev-parse --show-superproject-working-tree)" ]; then
        fail "$top is a submodule of the checkout: check it in a repository of its own"
    fi
}

# Runs git at the top of the checkout.
in_top() {
    [ -n "$top" ] && git -c safe.bareRepository=explicit -C "$top" "$@"
}

has_commit() {
    in_top rev-parse --quiet --verify "$1^{commit}" >/dev/null 2>&1
}

# Succeeds where the change is checked out as GitHub merged it into its base, which is then the first parent.
is_merged_into_its_base() {
    [ "$(in_top rev-parse HEAD)" = "$GITHUB_SHA" ] && has_commit 'HEAD^2'
}

# Sets `trusted` to the revision that a change cannot alter; empty where the event is not about a change, or where the
# checkout does not hold it. Then `why` says what to do about that.
find_trusted() {
    trusted='' why=''
    case $GITHUB_EVENT_NAME in
        pull_request)
            why='set `fetch-depth: 2` at actions/checkout'
            if is_merged_into_its_base; then
                trusted='HEAD^1'
            elif has_commit "origin/$GITHUB_BASE_REF"; then
                trusted=origin/$GITHUB_BASE_REF
            fi
            ;;
        # They run for a branch of this repository, whatever is checked out then.
        pull_request_target | workflow_run)
            if [ "$(in_top rev-parse HEAD)" = "$GITHUB_SHA" ]; then return; fi
            why="run \`git fetch --depth 1 origin $GITHUB_SHA\` after actions/checkout"
            if has_commit "$GITHUB_SHA"; then trusted=$GITHUB_SHA; fi
            ;;
        merge_group)
            why='set `fetch-depth: 0` at actions/checkout'
            trusted=$(sed -n 's/.*"base_sha": *"\([0-9a-f]*\)".*/\1/p' "${GITHUB_EVENT_PATH:-/dev/null}" | head -n 1)
            if [ -z "$trusted" ] || ! has_commit "$trusted"; then trusted=''; fi
            ;;
        *) return ;;
    esac
    if [ -n "$trusted" ]; then why=''; fi
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
    if [ -n "$trusted" ] && in_top merge-base "$trusted" HEAD >/dev/null 2>&1; then
        printf '%s\n' "$trusted"
    elif [ -n "$trusted$why" ]; then
        printf '::notice title=overrule::everything is checked: %s\n' \
            'set `fetch-depth: 2` at actions/checkout to report only what a change adds' >&2
    fi
}

# Sets `policy` to the revision that the policy is taken from, empty where that is what is checked out, and `warning` to
# what to say about that.
find_policy() {
    local line
    policy='' warning=''
    case $INPUT_POLICY_FROM in
        none) return ;;
        ?*)
            policy=$INPUT_POLICY_FROM
            return
            ;;
    esac
    # Who wrote the workflow says already which policy holds.
    while IFS= read -r line; do
        case ${line%$'\r'} in --policy | --policy=* | --policy-from | --policy-from=* | --isolated) return ;; esac
    done <<<"$INPUT_ARGUMENTS"
    policy=$trusted
    if [ -z "$why" ]; then return; fi
    # The change runs with the rights of the base here, so it must not choose its policy.
    if [ "$GITHUB_EVENT_NAME" = pull_request_target ]; then
        fail "the policy would be that of the change itself: $why"
    fi
    warning="the policy is that of the change itself: $why to take it from the base"
    printf '::warning title=overrule::%s\n' "$warning"
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
    local sarif=$RUNNER_TEMP/overrule.sarif summary=$RUNNER_TEMP/overrule.md top trusted why revision policy warning code=0
    rm -f "$sarif" "$summary"
    enter
    find_trusted
    revision=$(base)
    find_policy
    # GitHub shows what SARIF has as excused as if it were not.
    arguments=(check --format github --output "sarif=$sarif" --output "markdown=$summary" --hide-suppressed)
    [ -z "$revision" ] || arguments+=(--base "$revision")
    [ -z "$policy" ] || arguments+=("--policy-from=$policy")
    [ -z "$INPUT_ENGINE" ] || arguments+=(--engine "$INPUT_ENGINE")
    [ -z "$INPUT_FAIL_ON" ] || arguments+=(--fail-on "$INPUT_FAIL_ON")
    append_lines "$INPUT_ARGUMENTS"
    arguments+=(--)
    append_lines "$INPUT_PATHS"
    overrule "${arguments[@]}" || code=$?
    if [ -f "$summary" ]; then cat "$summary" >>"$GITHUB_STEP_SUMMARY"; fi
    if [ -n "$warning" ]; then printf '\n> [!WARNING]\n> %s\n' "$warning" >>"$GITHUB_STEP_SUMMARY"; fi
    if [ -f "$sarif" ]; then printf 'sarif=%s\n' "$sarif" >>"$GITHUB_OUTPUT"; fi
    printf 'exit-code=%s\n' "$code" >>"$GITHUB_OUTPUT"
    exit "$code"
}

case $step in
    plan | install | check) "$step" ;;
    *) fail 'run.sh takes plan, install or check' ;;
esac
