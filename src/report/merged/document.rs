//! A merged module as a JSON document: all arguments with origins and previous values.

use serde::Serialize;

use super::{Writer, addresses_of};
use crate::engine::FileKind;
use crate::module::dropped::{Dropped, Why};
use crate::module::merged::{Argument, MergedBlock, Nested};
use crate::report::json::Range;
use crate::syntax::{Attribute, Block};
use crate::text::Span;

#[derive(Debug, Serialize)]
pub(super) struct Document {
    format_version: &'static str,
    /// The directory.
    module: String,
    engine: String,
    files: Vec<String>,
    override_files: Vec<String>,
    blocks: Vec<BlockEntry>,
    dropped: Vec<DroppedEntry>,
}

#[derive(Debug, Serialize)]
struct BlockEntry {
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    kind: String,
    labels: Vec<String>,
    range: Range,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    replaces: Vec<Range>,
    arguments: Vec<ArgumentEntry>,
    blocks: Vec<BlockEntry>,
}

#[derive(Debug, Serialize)]
struct ArgumentEntry {
    name: String,
    /// The value, in native syntax.
    value: String,
    range: Range,
    /// The previous values, the latest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    history: Vec<Version>,
}

#[derive(Debug, Serialize)]
struct Version {
    value: String,
    range: Range,
}

#[derive(Debug, Serialize)]
struct DroppedEntry {
    address: String,
    what: String,
    range: Range,
    reason: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lost: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced_by: Option<Range>,
}

impl Document {
    pub(super) fn of(writer: &Writer<'_>) -> Self {
        let files = |kind: FileKind| {
            let files = writer.merged.files.iter().filter(|file| file.kind == kind);
            files.map(|file| file.name.to_string()).collect()
        };
        let is_asked_for = |address: &String| writer.style.only.as_ref().is_none_or(|only| only == address);
        let blocks = writer.merged.files.iter().flat_map(|file| &file.blocks);
        let blocks = blocks
            .filter(|block| addresses_of(block).iter().any(is_asked_for) || writer.style.only.is_none());
        let dropped = writer.merged.dropped.iter().filter(|dropped| is_asked_for(&dropped.address));
        Self {
            format_version: "1.0",
            module: writer.style.names.of(&writer.module.directory),
            engine: writer.module.features.engine.word().to_string(),
            files: files(FileKind::Primary),
            override_files: files(FileKind::Override),
            blocks: blocks
                .map(|block| BlockEntry { address: Some(block.address()), ..writer.entry(block) })
                .collect(),
            dropped: dropped.map(|dropped| writer.dropped(dropped)).collect(),
        }
    }
}

impl Writer<'_> {
    fn entry(&self, merged: &MergedBlock) -> BlockEntry {
        let block = &merged.block;
        let nested = |nested: &Nested| BlockEntry {
            replaces: nested.replaces.iter().map(|replaced| self.range_of(replaced)).collect(),
            ..self.entry(&nested.block)
        };
        BlockEntry {
            address: None,
            kind: block.kind.to_string(),
            labels: block.labels.iter().map(|label| label.text.to_string()).collect(),
            range: self.range_of(block),
            replaces: Vec::new(),
            arguments: merged.arguments.iter().map(|argument| self.version(argument, &block.kind)).collect(),
            blocks: merged.blocks.iter().map(nested).collect(),
        }
    }

    fn version(&self, argument: &Argument, kind: &str) -> ArgumentEntry {
        let earlier = |attribute: &std::sync::Arc<Attribute>| Version {
            value: self.value(attribute, kind, ""),
            range: self.range(attribute.span),
        };
        ArgumentEntry {
            name: argument.counts.name.to_string(),
            value: self.value_of(argument, kind, ""),
            range: self.range(argument.counts.span),
            history: argument.before.iter().rev().map(earlier).collect(),
        }
    }

    fn dropped(&self, dropped: &Dropped) -> DroppedEntry {
        DroppedEntry {
            address: dropped.address.clone(),
            what: dropped.what.clone(),
            range: self.range(dropped.span),
            reason: word(dropped.why),
            message: self.reason(dropped),
            lost: dropped.lost.iter().map(ToString::to_string).collect(),
            replaced_by: dropped.by.filter(|_| dropped.why == Why::Replaced).map(|by| self.range(by)),
        }
    }

    fn range_of(&self, block: &Block) -> Range {
        self.range(block.header)
    }

    fn range(&self, span: Span) -> Range {
        Range::new(span, self.sources, &self.style.names)
    }
}

fn word(why: Why) -> &'static str {
    match why {
        Why::Replaced => "replaced",
        Why::Ignored => "ignored",
        Why::Empty => "empty",
        Why::AllStays => "all-stays",
        Why::TrueStays => "true-stays",
        Why::Refused => "refused",
        Why::NoBase => "without-base",
        Why::CountWins => "count-wins",
        Why::UnknownVariable => "unknown-variable",
        Why::NotAName => "not-a-name",
        Why::TakenForEmpty => "taken-for-empty",
    }
}
