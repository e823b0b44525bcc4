#!/usr/bin/env bash
# What action.yml runs: `run.sh plan`, `run.sh install` and `run.sh run`, one after the other. A release runs
# `run.sh sources`.
#
# The inputs of the workflow are variables INPUT_…; the runner sets all others. The script uses only what bash 3.2 has,
# because macOS has no newer one.
set -euo pipefail

root=$RUNNER_TEMP/overrule
step=${1-}

fail() {
    printf '::error title=overrule::%s\n' "$1" >&2
    [ "$step" != run ] || printf 'exit-code=2\n' >>"$GITHUB_OUTPUT"
    exit 2
}

sha256() {
    if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -d ' ' -f 1
}

# Prints the digest of everything that the program is built from. A release contains the digest of its own sources, so the
# action downloads a release only if it was built from the sources of this revision of the action.
sources() {
    (cd "$GITHUB_ACTION_PATH" && find Cargo.toml Cargo.lock src policies -type f | LC_ALL=C sort |
        while IFS= read -r file; do cat "$file"; done | sha256)
}

# Prints the key under which the program is cached. Fails before the installation if there is no such command.
plan() {
    case $INPUT_COMMAND in
        check | affected) ;;
        *) fail "command is \`$INPUT_COMMAND\`, which is neither \`check\` nor \`affected\`" ;;
    esac
    case $INPUT_INSTALL in
        auto | build) printf 'key=overrule-%s-%s-%s\n' "$RUNNER_OS" "$RUNNER_ARCH" "$(sources)" >>"$GITHUB_OUTPUT" ;;
        path) printf 'key=\n' >>"$GITHUB_OUTPUT" ;;
        *) fail "install is \`$INPUT_INSTALL\`, which is none of \`auto\`, \`build\` and \`path\`" ;;
    esac
}

# Installs the program, and puts it on PATH for this job.
install() {
    if [ "$INPUT_INSTALL" = path ]; then
        command -v overrule >/dev/null || fail 'install is `path`, but no overrule is on PATH'
        return
    fi
    # The cache may have restored it.
    if [ ! -x "$root/bin/overrule" ] && [ ! -x "$root/bin/overrule.exe" ]; then
        if [ "$INPUT_INSTALL" = build ] || ! download; then build; fi
    fi
    printf '%s\n' "$root/bin" >>"$GITHUB_PATH"
}

build() {
    command -v cargo >/dev/null || fail 'cargo is not on PATH, so overrule cannot be built: install Rust'
    cargo install --locked --path "$GITHUB_ACTION_PATH" --root "$root" --target-dir "$RUNNER_TEMP/overrule-build"
}

# Prints the value of the first line `$1 = "value"` of Cargo.toml.
from_cargo() {
    sed -n "s/^$1 = \"\(.*\)\"\$/\1/p" "$GITHUB_ACTION_PATH/Cargo.toml" | head -n 1
}

# Downloads a file of the release, or prints why overrule is built instead.
get() {
    local code
    for _ in 1 2 3; do
        code=0
        curl --fail --silent --show-error --location --retry 3 --max-time 300 \
            --output "$downloads/$1" "$url/$1" 2>"$downloads/why" || code=$?
        # 22 is an error that the server reports. Other failures, such as an interrupted download, may be temporary.
        case $code in 0) return 0 ;; 22) break ;; esac
    done
    printf '::notice title=overrule::overrule is built from source, because %s/%s cannot be downloaded: %s\n' \
        "$url" "$1" "$(head -n 1 "$downloads/why")" >&2
    return 1
}

# Installs the release that was built from these sources. Fails if there is none, and stops the job if a file differs from
# the released one.
download() {
    local target repository url downloads archive expected found
    case $RUNNER_OS-$RUNNER_ARCH in
        Linux-X64) target=x86_64-unknown-linux-musl ;;
        Linux-ARM64) target=aarch64-unknown-linux-musl ;;
        macOS-X64) target=x86_64-apple-darwin ;;
        macOS-ARM64) target=aarch64-apple-darwin ;;
        Windows-X64) target=x86_64-pc-windows-msvc ;;
        *) return 1 ;;
    esac
    repository=$(from_cargo repository)
    # A copy that names no owner has no release.
    case $repository in */OWNER/*) return 1 ;; esac
    url=$repository/releases/download/v$(from_cargo version)
    downloads=$RUNNER_TEMP/overrule-download
    archive=overrule-$target.tar.gz
    mkdir -p "$downloads"
    get SOURCES || return 1
    if [ "$(cat "$downloads/SOURCES")" != "$(sources)" ]; then
        printf '::notice title=overrule::overrule is built from source, because no release has this revision: %s\n' \
            'use the action at the tag of a release to download it' >&2
        return 1
    fi
    get SHA256SUMS && get "$archive" || return 1
    expected=$(sed -n "s/^\([0-9a-f]*\)  $archive\$/\1/p" "$downloads/SHA256SUMS")
    found=$(sha256 <"$downloads/$archive")
    [ "$found" = "$expected" ] || fail "the checksum of $url/$archive is $found, but SHA256SUMS has ${expected:-none}"
    verify "$downloads/$archive" "$repository"
    mkdir -p "$root/bin"
    # On Windows, tar would take the part of a file name before the colon for a host.
    tar -xz -C "$root/bin" <"$downloads/$archive" || fail "cannot extract $url/$archive"
}

# Verifies who built the archive, if `gh` is installed, as it is on the runners of GitHub.
verify() {
    case $2 in https://github.com/*) ;; *) return 0 ;; esac
    if [ -z "$INPUT_TOKEN" ] || ! command -v gh >/dev/null; then return 0; fi
    GH_TOKEN=$INPUT_TOKEN gh attestation verify "$1" --repo "${2#https://github.com/}" >/dev/null ||
        fail "the release workflow of $2 did not build this archive"
}

# Changes to the working directory, and sets `top` to the top of the checkout around it, or to nothing without one.
#
# A change must not decide where that is or what is read there. A symbolic link or a submodule in its place would lead
# elsewhere, and git would treat a directory that looks like a bare repository as one.
enter() {
    local workspace
    workspace=$(pwd -P)
    cd "$INPUT_WORKING_DIRECTORY" || fail "the directory $INPUT_WORKING_DIRECTORY does not exist"
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
        fail "$top is a submodule of the checkout: check it in its own repository"
    fi
}

# Runs git at the top of the checkout.
in_top() {
    [ -n "$top" ] && git -c safe.bareRepository=explicit -C "$top" "$@"
}

has_commit() {
    in_top rev-parse --quiet --verify "$1^{commit}" >/dev/null 2>&1
}

# Succeeds if the merge of the change into its base, which GitHub makes, is checked out. Its first parent is the base.
is_merged_into_its_base() {
    [ "$(in_top rev-parse HEAD)" = "$GITHUB_SHA" ] && has_commit 'HEAD^2'
}

# Sets `trusted` to the revision that a change cannot alter. It is empty if the event is not about a change, and if the
# checkout lacks the revision; `why` is then the setting that adds it.
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
        # These events run for a branch of this repository, whatever is checked out.
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

# Prints the revision that `check` compares with, or nothing to check everything.
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
        printf '::notice title=overrule::all findings are reported: %s\n' \
            'set `fetch-depth: 2` at actions/checkout to report only what a change adds' >&2
    fi
}

# Sets `policy` to the revision that the policy is taken from, or to nothing for the checkout itself, and `warning` to a
# warning if a change can choose its policy.
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
    # The arguments of the workflow choose a policy already.
    while IFS= read -r line; do
        case ${line%$'\r'} in --policy | --policy=* | --policy-from | --policy-from=* | --isolated) return ;; esac
    done <<<"$INPUT_ARGUMENTS"
    policy=$trusted
    if [ -z "$why" ]; then return; fi
    # The change runs with the rights of the base, so it must not choose its policy.
    if [ "$GITHUB_EVENT_NAME" = pull_request_target ]; then
        fail "the change would choose its own policy: $why"
    fi
    warning="the change chooses its own policy: $why to take it from the base"
    printf '::warning title=overrule::%s\n' "$warning"
}

# Appends the lines of $1 that are not empty to `arguments`.
append_lines() {
    local line
    while IFS= read -r line; do
        line=${line%$'\r'}
        [ "$line" != --installed ] || fail '`--installed` is not for the action: it needs the modules that `init` installs'
        [ -z "$line" ] || arguments+=("$line")
    done <<<"$1"
}

# Appends the options that all commands have to `arguments`.
append_options() {
    [ -z "$1" ] || arguments+=("--base=$1")
    [ -z "$policy" ] || arguments+=("--policy-from=$policy")
    [ -z "$INPUT_ENGINE" ] || arguments+=("--engine=$INPUT_ENGINE")
    append_lines "$INPUT_ARGUMENTS"
}

# Checks once, and writes all reports.
check() {
    local sarif=$RUNNER_TEMP/overrule.sarif summary=$RUNNER_TEMP/overrule.md
    rm -f "$sarif" "$summary"
    # GitHub shows suppressed findings of a SARIF report as open.
    arguments=(check --format github --output "sarif=$sarif" --output "markdown=$summary" --hide-suppressed)
    append_options "$(base)"
    [ -z "$INPUT_FAIL_ON" ] || arguments+=("--fail-on=$INPUT_FAIL_ON")
    arguments+=(--)
    append_lines "$INPUT_PATHS"
    overrule "${arguments[@]}" || code=$?
    if [ -f "$summary" ]; then cat "$summary" >>"$GITHUB_STEP_SUMMARY"; fi
    if [ -f "$sarif" ]; then printf 'sarif=%s\n' "$sarif" >>"$GITHUB_OUTPUT"; fi
}

# Lists the root modules that the change affects with their reasons, and sets the output `matrix`.
affected() {
    local list matrix revision=${INPUT_BASE:-$trusted}
    [ -z "$INPUT_PATHS$INPUT_FAIL_ON" ] || fail 'the inputs `paths` and `fail-on` are for the command `check`'
    [ "$INPUT_BASE" != none ] || fail 'the command `affected` compares with a base, so `base` cannot be `none`'
    [ -n "$revision" ] || fail "the command \`affected\` has no base to compare with: ${why:-set the input \`base\`}"
    arguments=(affected)
    append_options "$revision"
    { list=$(overrule "${arguments[@]}") && matrix=$(overrule "${arguments[@]}" --format github-matrix); } || code=$?
    [ "$code" = 0 ] || return 0
    printf '%s\n' "$list"
    # No name ends an indented block of Markdown.
    printf '### overrule: affected root modules\n\n%s\n' "$(printf '%s\n' "$list" | sed 's/^/    /')" >>"$GITHUB_STEP_SUMMARY"
    # A matrix without entries is an error, so a workflow has to skip the job.
    if [ "$matrix" = '{"include": []}' ]; then matrix=''; fi
    printf 'matrix=%s\n' "$matrix" >>"$GITHUB_OUTPUT"
}

# Runs the command that the workflow names, and fails last.
run() {
    local top trusted why policy warning code=0
    enter
    find_trusted
    find_policy
    "$INPUT_COMMAND"
    if [ -n "$warning" ]; then printf '\n> [!WARNING]\n> %s\n' "$warning" >>"$GITHUB_STEP_SUMMARY"; fi
    printf 'exit-code=%s\n' "$code" >>"$GITHUB_OUTPUT"
    exit "$code"
}

case $step in
    sources | plan | install | run) "$step" ;;
    *) fail 'run.sh takes sources, plan, install or run' ;;
esac
