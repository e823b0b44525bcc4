//! The installation by the action: from a release that was built from its own sources, which a local server provides,
//! or else by building it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;

use super::{Runner, top};

/// The archive for the system of the runner.
const ARCHIVE: &str = "overrule-x86_64-unknown-linux-musl.tar.gz";

/// A file of a release, and the number of its next downloads that are cut off.
struct Offer {
    content: Vec<u8>,
    cuts: usize,
}

/// The files of a server, by the last part of the address.
type Files = Arc<Mutex<BTreeMap<String, Offer>>>;

fn serve(files: &Files) -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let files = Arc::clone(files);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // The test includes clients that disconnect.
            answer(stream, &files).ok();
        }
    });
    port
}

fn answer(mut stream: TcpStream, files: &Files) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let path = request.split(' ').nth(1).unwrap_or_default();
    let mut files = files.lock().expect("no thread panics with it");
    let offer = path.strip_prefix("/somebody/overrule/releases/download/v9.9.9/");
    let Some(offer) = offer.and_then(|name| files.get_mut(name)) else {
        return stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    };
    let length = offer.content.len();
    write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n")?;
    let is_cut = offer.cuts > 0;
    offer.cuts = offer.cuts.saturating_sub(1);
    stream.write_all(&offer.content[..if is_cut { length / 2 } else { length }])
}

/// A runner with the action at version 9.9.9, a cargo that reports builds, and a server with the release.
fn runner() -> (Runner, Files) {
    let mut runner = Runner::new();
    runner.has_program = false;
    runner.inputs.insert("install", "auto".to_owned());
    let files = Files::default();
    let address = format!("http://127.0.0.1:{}/somebody/overrule", serve(&files));
    runner.action = runner.path("action");
    let script = fs::read_to_string(top().join(".github/action/run.sh")).expect("the script");
    runner.write("action/.github/action/run.sh", &script);
    let manifest =
        format!("[package]\nname = \"overrule\"\nversion = \"9.9.9\"\nrepository = \"{address}\"\n");
    for (path, text) in
        [("Cargo.toml", manifest.as_str()), ("Cargo.lock", ""), ("src/main.rs", ""), ("policies/a.md", "")]
    {
        runner.write(&format!("action/{path}"), text);
    }
    let made = runner.command("chmod", "action").args(["+x", ".github/action/run.sh"]).status();
    assert!(made.expect("chmod runs").success());

    // The released program calls the program that was built for this test.
    let program = env!("CARGO_BIN_EXE_overrule");
    runner.write("released/overrule", &format!("#!/bin/sh\necho released >&2\nexec '{program}' \"$@\"\n"));
    let packed = runner
        .command("bash", "released")
        .args(["-c", "chmod +x overrule && tar -czf ../a.tgz overrule"])
        .status();
    assert!(packed.expect("tar runs").success());
    let archive = fs::read(runner.path("a.tgz")).expect("the archive");
    let sums = runner.command("bash", "").args(["-c", "sha256sum a.tgz || shasum -a 256 a.tgz"]).output();
    let sum = String::from_utf8(sums.expect("a checksum").stdout).expect("UTF-8");
    let sum = sum.split(' ').next().expect("a checksum");
    let sources = runner
        .command("bash", "action")
        .env("GITHUB_ACTION_PATH", &runner.action)
        .env("RUNNER_TEMP", ".")
        .args([".github/action/run.sh", "sources"])
        .output()
        .expect("the script runs")
        .stdout;
    assert_eq!(sources.len(), 65, "a digest and the end of its line");
    for (name, content) in [
        (ARCHIVE, archive),
        ("SHA256SUMS", format!("{}  overrule-9.9.9.tar.gz\n{sum}  {ARCHIVE}\n", "0".repeat(64)).into_bytes()),
        ("SOURCES", sources),
    ] {
        files.lock().expect("a lock").insert(name.to_owned(), Offer { content, cuts: 0 });
    }
    runner.program(
        "cargo",
        &format!("echo built \"$@\"; mkdir -p \"$RUNNER_TEMP/overrule/bin\"; cp '{program}' \"$RUNNER_TEMP/overrule/bin/\""),
    );
    (runner, files)
}

fn offer(files: &Files, name: &str, change: impl FnOnce(&mut Offer)) {
    change(files.lock().expect("a lock").get_mut(name).expect("a file of the release"));
}

#[test]
fn the_release_that_was_built_from_the_sources_of_the_action_is_downloaded_once() {
    let (runner, files) = runner();
    let job = runner.run();
    assert!(job.log.contains("released\n") && !job.log.contains("built"), "{}", job.log);
    assert_eq!(job.outputs["exit-code"], "1", "and checks");
    files.lock().expect("a lock").clear();
    let job = runner.run();
    assert!(job.log.contains("released\n") && !job.log.contains("cannot be downloaded"), "{}", job.log);
}

#[test]
fn a_file_that_is_not_the_released_one_stops_the_job() {
    let (runner, files) = runner();
    offer(&files, ARCHIVE, |archive| archive.content.push(0));
    let job = runner.run();
    assert!(!job.succeeds && job.log.contains(", but SHA256SUMS has "), "{job:?}");
    assert!(!job.log.contains("built") && !runner.path("temp/overrule/bin").exists(), "{job:?}");
    offer(&files, "SHA256SUMS", |sums| sums.content.clear());
    let job = runner.run();
    assert!(!job.succeeds && job.log.contains(", but SHA256SUMS has none"), "{job:?}");
}

#[test]
fn an_interrupted_download_is_tried_again_and_then_given_up() {
    let (runner, files) = runner();
    offer(&files, ARCHIVE, |archive| archive.cuts = 2);
    let job = runner.run();
    assert!(job.log.contains("released\n") && !job.log.contains("built"), "{}", job.log);

    let (runner, files) = self::runner();
    offer(&files, ARCHIVE, |archive| archive.cuts = 3);
    let job = runner.run();
    assert!(
        job.log.contains("::notice title=overrule::overrule is built from source, because http://"),
        "{}",
        job.log
    );
    assert!(job.log.contains("built install --locked --path "), "{}", job.log);
    assert_eq!(job.outputs["exit-code"], "1");
}

#[test]
fn without_a_release_of_this_revision_the_action_builds_itself() {
    let (runner, files) = runner();
    offer(&files, "SOURCES", |sources| sources.content[0] ^= 1);
    let job = runner.run();
    assert!(
        job.log.contains("because no release has this revision") && job.log.contains("built "),
        "{}",
        job.log
    );
    let (runner, files) = self::runner();
    files.lock().expect("a lock").clear();
    let job = runner.run();
    assert!(job.log.contains("/SOURCES cannot be downloaded: ") && job.log.contains("built "), "{}", job.log);
    let job = runner.run();
    assert!(!job.log.contains("built "), "the cache has it: {}", job.log);
}

#[test]
fn a_copy_that_names_no_owner_and_a_job_that_builds_download_nothing() {
    let (mut runner, _files) = runner();
    runner.inputs.insert("install", "build".to_owned());
    let job = runner.run();
    assert!(job.log.contains("built ") && !job.log.contains("released"), "{}", job.log);
    let (runner, _files) = self::runner();
    let manifest = runner.path("action/Cargo.toml");
    let text = fs::read_to_string(&manifest).expect("a manifest");
    fs::write(&manifest, text.replace("somebody", concat!("OWN", "ER"))).expect("a manifest");
    let job = runner.run();
    assert!(job.log.contains("built ") && !job.log.contains("downloaded"), "{}", job.log);
}

#[test]
fn a_way_to_install_that_does_not_exist_is_refused() {
    let mut runner = Runner::new();
    runner.inputs.insert("install", "v1".to_owned());
    let job = runner.run();
    assert!(!job.succeeds && job.log.contains("install is `v1`, which is none of"), "{job:?}");
}

#[test]
fn the_script_finds_the_owner_where_the_manifest_of_this_package_has_it() {
    let manifest = fs::read_to_string(Path::new(top()).join("Cargo.toml")).expect("a manifest");
    let line = format!("repository = \"{}\"", env!("CARGO_PKG_REPOSITORY"));
    assert_eq!(manifest.lines().filter(|other| *other == line).count(), 1);
    let line = format!("version = \"{}\"", env!("CARGO_PKG_VERSION"));
    assert_eq!(manifest.lines().find(|other| other.starts_with("version = ")), Some(line.as_str()));
}
