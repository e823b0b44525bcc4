//! Compares `yamldecode`, `csvdecode` and `jsondecode` with `terraform console`.
//!
//! Each line of `decoded.txt` has a function, a text as a JSON string, and the value as JSON, or `error`.
//! `AGREEMENT=record-missing cargo test --test agreement decoded` adds missing values. `AGREEMENT_DECODED='1 2000'
//! cargo test --test agreement -- --nocapture decoded` compares texts with random errors; a third word names a
//! directory whose files are used in addition to the recorded texts.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use overrule::engine::{Choice, Engine};
use overrule::limits::Limits;
use overrule::syntax::{Traversal, parse_expression, quoted};
use overrule::value::{Budget, Resolved, Scope, evaluate};

use crate::terraform::Terraform;

/// A text, and the result of a function.
#[derive(Clone)]
struct Record {
    function: String,
    text: String,
    answer: Option<String>,
}

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agreement/decoded.txt")
}

fn records() -> Vec<Record> {
    let text = fs::read_to_string(file()).expect("the file of records");
    let record = |line: &str| {
        let mut parts = line.splitn(3, '\t');
        let mut part = || parts.next();
        let function = part().expect("a function").to_owned();
        let text = serde_json::from_str(part().expect("a text")).expect("a JSON string");
        Record { function, text, answer: part().map(str::to_owned) }
    };
    text.lines().map(record).collect()
}

fn written(records: &[Record]) -> String {
    let line = |record: &Record| {
        let text = serde_json::to_string(&record.text).expect("a string");
        let answer = record.answer.as_ref().map(|answer| format!("\t{answer}")).unwrap_or_default();
        format!("{}\t{text}{answer}\n", record.function)
    };
    records.iter().map(line).collect()
}

struct Nothing(Budget, Limits);

impl Scope for Nothing {
    fn engine(&self) -> Engine {
        Choice::parse("terraform@1.11").expect("an engine").engines()[0]
    }

    fn limits(&self) -> &Limits {
        &self.1
    }

    fn work(&self) -> &Budget {
        &self.0
    }

    fn resolve(&self, _: &Traversal) -> Option<Resolved<'_>> {
        None
    }
}

/// Our result for a text. `None` if it is unknown.
#[expect(clippy::print_stdout, reason = "whoever asks for unseen texts reads why one was refused")]
fn ours(record: &Record) -> Option<String> {
    let call = format!("jsonencode({}({}))", record.function, quoted(&record.text));
    let expr = parse_expression(&call).expect("an expression");
    let mut findings = Vec::new();
    let value = evaluate(&expr, &Nothing(Budget::of(usize::MAX), Limits::default()), &mut findings);
    if findings.is_empty() {
        return value.as_str().map(str::to_owned);
    }
    if std::env::var_os("AGREEMENT_DECODED").is_some() {
        println!("{}", findings[0].detail);
    }
    Some("error".to_owned())
}

/// Terraform's results for texts.
fn ask(records: &[Record]) -> Vec<String> {
    // A `range` has at most 1024 elements.
    records.chunks(1000).flat_map(ask_some).collect()
}

fn ask_some(records: &[Record]) -> Vec<String> {
    let place = tempfile::tempdir().expect("a temporary directory");
    for (number, record) in records.iter().enumerate() {
        fs::write(place.path().join(number.to_string()), &record.text).expect("a new file");
        fs::write(place.path().join(format!("{number}.name")), &record.function).expect("a new file");
    }
    // Outside of a terminal, the console prints only the last value.
    let question = format!(
        "base64encode(jsonencode([for i in range({}) : {{ for f in [file(\"${{i}}.name\")] : f => \
         f == \"yamldecode\" ? try(jsonencode(yamldecode(file(i))), \"error\") : \
         f == \"csvdecode\" ? try(jsonencode(csvdecode(file(i))), \"error\") : \
         try(jsonencode(jsondecode(file(i))), \"error\") }}[file(\"${{i}}.name\")]]))\n",
        records.len()
    );
    let mut console = Command::new("terraform")
        .arg("console")
        .current_dir(place.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("terraform on PATH");
    let mut stdin = console.stdin.take().expect("its input");
    let writer = std::thread::spawn(move || stdin.write_all(question.as_bytes()).expect("to be read"));
    let output = console.wait_with_output().expect("an answer");
    writer.join().expect("all was written");
    let text = String::from_utf8(output.stdout).expect("text");
    let all = base64(text.trim().trim_matches('"'));
    let answers: Vec<String> = serde_json::from_str(&all).expect("a list of strings");
    assert_eq!(answers.len(), records.len(), "one answer to each");
    answers
}

fn base64(text: &str) -> String {
    const SIGNS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for sign in text.bytes().filter(|sign| *sign != b'=') {
        let value = SIGNS.iter().position(|other| *other == sign).expect("a sign of base64");
        bits = bits << 6 | u32::try_from(value).expect("six bits");
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).expect("eight bits"));
        }
    }
    String::from_utf8(bytes).expect("text")
}

#[test]
fn decoded_values_agree() {
    let mut records = records();
    if crate::asked_to_record() {
        let unasked: Vec<Record> = records.iter().filter(|record| record.answer.is_none()).cloned().collect();
        let mut answers = ask(&unasked).into_iter();
        for record in records.iter_mut().filter(|record| record.answer.is_none()) {
            record.answer = answers.next();
        }
        fs::write(file(), written(&records)).expect("the file of records");
    }
    let mut wrong = Vec::new();
    let mut unknown = 0;
    for record in &records {
        match ours(record) {
            None => unknown += 1,
            other if other == record.answer => {}
            other => wrong.push((record.function.clone(), record.text.clone(), record.answer.clone(), other)),
        }
    }
    assert!(wrong.is_empty(), "the function, the text, terraform's answer and ours: {wrong:#?}");
    assert!(
        records.len() > 200 && unknown * 5 < records.len(),
        "{unknown} of {} are not known",
        records.len()
    );
}

#[test]
fn recorded_values_are_those_of_terraform() {
    if Terraform::find().is_none() {
        return;
    }
    let records = records();
    for (record, answer) in records.iter().zip(ask(&records)) {
        assert_eq!(record.answer.as_deref(), Some(&*answer), "{} of {:?}", record.function, record.text);
    }
}

#[test]
fn unseen_decoded_values_can_be_compared() {
    let Ok(seeds) = std::env::var("AGREEMENT_DECODED") else { return };
    let words: Vec<&str> = seeds.split(' ').collect();
    let seed = |place: usize| words[place].parse::<u64>().expect("a number");
    let mut texts = records();
    if let Some(directory) = words.get(2) {
        let files = fs::read_dir(directory).expect("a directory");
        let read = files.filter_map(|entry| fs::read_to_string(entry.expect("an entry").path()).ok());
        let yaml = |text| Record { function: "yamldecode".to_owned(), text, answer: None };
        texts = read.map(yaml).collect();
    }
    let unseen: Vec<Record> = (seed(0)..seed(1)).map(|seed| mistaken(&texts, seed)).collect();
    let (mut same, mut unknown) = (0, 0);
    for (record, answer) in unseen.iter().zip(ask(&unseen)) {
        match ours(record) {
            None => unknown += 1,
            Some(ours) if ours == answer => same += 1,
            Some(ours) => println!("{} {:?}\n  {answer}\n  {ours}", record.function, record.text),
        }
    }
    println!("{same} of {} are the same, {unknown} are not known", unseen.len());
}

/// One of the texts with a few random changes.
fn mistaken(records: &[Record], seed: u64) -> Record {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below.max(1) as u64).expect("a small number")
    };
    let mut record = records[random(records.len())].clone();
    let other = records[random(records.len())].text.clone();
    let mut signs: Vec<char> = record.text.chars().take(20_000).collect();
    for _ in 0..random(4) {
        let at = random(signs.len() + 1);
        match random(5) {
            0 if at < signs.len() => drop(signs.remove(at)),
            1 => {
                let marks: Vec<char> = "\n\n  \t:,-[]{}\"'#&*!|>?%@`~a0.\r<=".chars().collect();
                signs.insert(at, marks[random(marks.len())]);
            }
            2 => {
                let to = (at + 1 + random(5)).min(signs.len());
                signs.drain(at..to);
            }
            3 => {
                let part: Vec<char> = other.chars().skip(random(other.len())).take(random(12)).collect();
                signs.splice(at..at, part);
            }
            _ => {
                let to = (at + random(20)).min(signs.len());
                let part = signs[at..to].to_vec();
                signs.splice(at..at, part);
            }
        }
    }
    record.text = signs.into_iter().collect();
    record.answer = None;
    record
}
