//! Writes blocks and arguments in native syntax or in JSON.

use std::fmt::Write as _;

/// A value, independent of syntax.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    /// A number, a boolean or null.
    Plain(String),
    /// A quoted string, perhaps with interpolations.
    Text(String),
    /// A reference, type or keyword that is not evaluated: bare, or quoted in JSON.
    Word(String),
    /// An expression: bare, or an interpolation in JSON.
    Expression(String),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
}

impl Value {
    pub(crate) fn plain(value: impl std::fmt::Display) -> Self {
        Self::Plain(format!("{value}"))
    }

    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn word(word: impl Into<String>) -> Self {
        Self::Word(word.into())
    }

    pub(crate) fn expression(text: impl Into<String>) -> Self {
        Self::Expression(text.into())
    }

    fn native(&self, indent: usize) -> String {
        match self {
            Self::Plain(text) | Self::Word(text) | Self::Expression(text) => text.clone(),
            Self::Text(text) => format!("\"{text}\""),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(|item| item.native(indent)).collect();
                format!("[{}]", items.join(", "))
            }
            Self::Object(entries) if entries.is_empty() => "{}".to_owned(),
            Self::Object(entries) => {
                let mut text = "{\n".to_owned();
                for (key, value) in entries {
                    let _ = writeln!(text, "{}{key} = {}", spaces(indent + 2), value.native(indent + 2));
                }
                text + &spaces(indent) + "}"
            }
        }
    }

    fn json(&self, indent: usize) -> String {
        match self {
            Self::Plain(text) => text.clone(),
            Self::Text(text) | Self::Word(text) => quoted(text),
            Self::Expression(text) => quoted(&format!("${{{text}}}")),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(|item| item.json(indent)).collect();
                format!("[{}]", items.join(", "))
            }
            Self::Object(entries) => {
                properties(entries.iter().map(|(key, value)| (key.as_str(), value.json(indent + 2))), indent)
            }
        }
    }
}

/// An item of a body.
#[derive(Debug, Clone)]
pub(crate) enum Item {
    Argument(String, Value),
    Block(Block),
}

/// A block with its labels.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) kind: String,
    pub(crate) labels: Vec<String>,
    pub(crate) items: Vec<Item>,
}

impl Block {
    pub(crate) fn new(kind: &str, labels: &[&str]) -> Self {
        Self {
            kind: kind.to_owned(),
            labels: labels.iter().map(|&label| label.to_owned()).collect(),
            items: Vec::new(),
        }
    }

    #[must_use]
    pub(crate) fn with(mut self, name: &str, value: Value) -> Self {
        self.set(name, value);
        self
    }

    pub(crate) fn set(&mut self, name: &str, value: Value) {
        self.items.push(Item::Argument(name.to_owned(), value));
    }

    #[must_use]
    pub(crate) fn holding(mut self, block: Block) -> Self {
        self.items.push(Item::Block(block));
        self
    }

    fn native(&self, indent: usize, text: &mut String) {
        let _ = write!(text, "{}{}", spaces(indent), self.kind);
        for label in &self.labels {
            let _ = write!(text, " \"{label}\"");
        }
        if self.items.is_empty() {
            text.push_str(" {}\n");
            return;
        }
        text.push_str(" {\n");
        for item in &self.items {
            match item {
                Item::Argument(name, value) => {
                    let _ = writeln!(text, "{}{name} = {}", spaces(indent + 2), value.native(indent + 2));
                }
                Item::Block(block) => block.native(indent + 2, text),
            }
        }
        let _ = writeln!(text, "{}}}", spaces(indent));
    }

    /// The body in an object for each label.
    fn json(&self, indent: usize) -> String {
        match self.labels.split_first() {
            None => json_body(&self.items, indent),
            Some((label, rest)) => {
                let inner =
                    Self { kind: self.kind.clone(), labels: rest.to_vec(), items: self.items.clone() };
                properties(std::iter::once((label.as_str(), inner.json(indent + 2))), indent)
            }
        }
    }
}

/// A file in native syntax.
pub(crate) fn native(items: &[Block]) -> String {
    let mut text = String::new();
    for block in items {
        block.native(0, &mut text);
    }
    text
}

/// The same file in JSON.
pub(crate) fn json(items: &[Block]) -> String {
    let items: Vec<Item> = items.iter().cloned().map(Item::Block).collect();
    json_body(&items, 0) + "\n"
}

/// Blocks of one type form one property; several blocks form an array.
fn json_body(items: &[Item], indent: usize) -> String {
    let mut kinds: Vec<&str> = Vec::new();
    let mut all: Vec<(&str, String)> = Vec::new();
    for item in items {
        match item {
            Item::Argument(name, value) => all.push((name, value.json(indent + 2))),
            Item::Block(block) if kinds.contains(&block.kind.as_str()) => {}
            Item::Block(block) => {
                kinds.push(&block.kind);
                let same: Vec<&Block> = items
                    .iter()
                    .filter_map(|other| match other {
                        Item::Block(other) if other.kind == block.kind => Some(other),
                        Item::Block(_) | Item::Argument(..) => None,
                    })
                    .collect();
                all.push((&block.kind, json_blocks(&same, indent + 2)));
            }
        }
    }
    properties(all.into_iter(), indent)
}

fn json_blocks(blocks: &[&Block], indent: usize) -> String {
    if let [only] = blocks {
        return only.json(indent);
    }
    let each: Vec<String> =
        blocks.iter().map(|block| format!("{}{}", spaces(indent + 2), block.json(indent + 2))).collect();
    format!("[\n{}\n{}]", each.join(",\n"), spaces(indent))
}

fn properties<'a>(entries: impl Iterator<Item = (&'a str, String)>, indent: usize) -> String {
    let lines: Vec<String> =
        entries.map(|(key, value)| format!("{}{}: {value}", spaces(indent + 2), quoted(key))).collect();
    if lines.is_empty() {
        "{}".to_owned()
    } else {
        format!("{{\n{}\n{}}}", lines.join(",\n"), spaces(indent))
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::String(text.to_owned()).to_string()
}

fn spaces(count: usize) -> String {
    " ".repeat(count)
}
