//! Compares module sources with recorded answers of the real engine.

use super::{AddressError, ModuleSource, clean, clean_local, split_subdir};
use crate::engine::Choice;

#[test]
fn a_local_path_is_cleaned() {
    for (raw, path) in [
        ("./a", "./a"),
        ("./a/../b/", "./b"),
        ("./a//b", "./a/b"),
        ("../a", "../a"),
        ("./../a", "../a"),
        ("./", "./."),
        (".\\a\\b", "./a/b"),
        ("./..", "./.."),
        ("../../", "../.."),
        ("./../../a/..", "../.."),
    ] {
        assert_eq!(clean_local(raw), path, "{raw}");
    }
}

#[test]
fn paths_of_modules_are_as_short_as_the_engines_make_them() {
    for (path, clean_path) in [
        ("././net", "net"),
        ("./../../modules/net", "../../modules/net"),
        ("../../modules/net/../dns", "../../modules/dns"),
        ("net/..", "."),
    ] {
        assert_eq!(clean(path), clean_path);
    }
}

#[test]
fn two_slashes_tell_the_directory_from_the_package() {
    for (source, package, directory) in [
        ("a/b/c", "a/b/c", ""),
        ("a/b/c//d/../e", "a/b/c", "e"),
        ("https://x.com/a//b?ref=1", "https://x.com/a?ref=1", "b"),
        ("https://x.com/a?u=https://y.com//z", "https://x.com/a?u=https://y.com//z", ""),
        ("a//", "a", ""),
        ("a//../b", "a", "../b"),
    ] {
        assert_eq!(split_subdir(source), (package.into(), directory.into()), "{source}");
    }
}

/// The full address that Terraform 1.11.4 computes for a source: it does not reinstall a module that is recorded with
/// this address.
const INSTALLED: &[(&str, &str)] = &[
    ("./", "./."),
    ("../", "./.."),
    ("./a/../b", "./b"),
    (".\\a", "./a"),
    ("a/b/c", "registry.terraform.io/a/b/c"),
    ("a/b/c//d", "registry.terraform.io/a/b/c//d"),
    ("a/b/c//", "registry.terraform.io/a/b/c"),
    ("a--b/c/d", "registry.terraform.io/a--b/c/d"),
    ("Example.com/a/B/c", "example.com/a/B/c"),
    ("github.com/a/b", "git::https://github.com/a/b.git"),
    ("github.com/a/b/c/d//e", "git::https://github.com/a/b.git//c/d/e"),
    ("github.com/a/b.git//c?ref=1", "git::https://github.com/a/b.git//c?ref=1"),
    ("github.com/a b/c", "git::https://github.com/a%20b/c.git"),
    ("bitbucket.org/a/b.git?ref=1", "git::https://bitbucket.org/a/b.git?ref=1"),
    ("git@github.com:a/b.git//c?ref=x&depth=1", "git::ssh://git@github.com/a/b.git//c?depth=1&ref=x"),
    ("git::git@github.com:a/b", "git::ssh://git@github.com/a/b"),
    ("git::https://example.com/x.git", "git::https://example.com/x.git"),
    ("hg::https://example.com/x", "hg::https://example.com/x"),
    ("https://example.com/a.zip//b?c=d", "https://example.com/a.zip//b?c=d"),
    ("/abs/path//sub", "file:///abs/path//sub"),
    ("c:\\x", "c:\\x"),
    ("s3-eu-west-1.amazonaws.com/b/c", "s3::https://s3-eu-west-1.amazonaws.com/b/c"),
    ("bucket.s3.amazonaws.com/c", "s3::https://s3.amazonaws.com/bucket/c"),
    ("bucket.s3.eu-west-1.amazonaws.com/c", "s3::https://s3.eu-west-1.amazonaws.com/bucket/c"),
    ("www.googleapis.com/storage/v1/b/c", "gcs::https://www.googleapis.com/storage/v1/b/c"),
];

/// Sources that Terraform 1.11.4 reports as local paths without `./`.
const UNDETECTED: &[&str] = &[
    "child",
    "a/b/c/d",
    ".",
    "..",
    "git::../x",
    "a/b/C",
    "a/b/c?ref=1",
    "localhost/a/b/c",
    "-a/b/c",
    "xn--a.com/a/b/c",
    "foo@github.com:a/b.git",
    "user@host:a",
    "1:b",
    "github.com",
    "modules/net",
];

/// Sources that Terraform 1.11.4 cannot parse.
const UNREADABLE: &[&str] = &[
    "",
    "a/b/c//../d",
    "github.com/a",
    "github.com/a/%zz",
    "git@example.com:x?a;b",
    "git@example.com:x?%zz",
    "a.b.c.d.amazonaws.com/c",
    "x.amazonaws.com.amazonaws.com/c/d/.amazonaws.com/",
    "www.googleapis.com/storage/v1",
];

fn parse(source: &str, has_version: bool) -> Result<ModuleSource, AddressError> {
    let features = Choice::parse("terraform@1.11.4").expect("an engine").engines()[0].features();
    ModuleSource::parse(source, has_version, &features)
}

#[test]
fn a_source_is_read_as_terraform_reads_it() {
    for (source, full) in INSTALLED {
        assert_eq!(parse(source, false).map(|source| source.to_string()).as_deref(), Ok(*full), "{source}");
    }
    for (sources, word) in
        [(UNDETECTED, "neither a local path"), (UNREADABLE, "is not a valid module source")]
    {
        for source in sources {
            let error = parse(source, false).expect_err(source);
            assert_eq!(error.summary, "Invalid module source address", "{source}");
            assert!(error.detail.contains(word), "{source}: {}", error.detail);
        }
    }
}

#[test]
fn with_a_version_only_a_registry_is_meant() {
    for source in ["a/b/c", "example.com/a/b/c//d"] {
        assert!(matches!(parse(source, true), Ok(ModuleSource::Registry(_))), "{source}");
    }
    let others = INSTALLED
        .iter()
        .map(|(source, full)| (*source, full.contains("example.com/a/B") || full.starts_with("registry.")));
    let none = UNDETECTED.iter().chain(UNREADABLE).map(|source| (*source, false));
    for (source, is_registry) in others.chain(none) {
        let summary = parse(source, true).err().map(|error| error.summary);
        let expected = (!is_registry).then_some("Invalid registry module source address");
        assert_eq!(summary, expected, "{source}");
    }
}
