//! Decides whether a block type can have an argument.
//!
//! The decoders of module files know the valid content of blocks. So a block with the argument is generated and
//! decoded as the newest version of each engine, and the diagnostics are the answer.

use std::sync::Arc;

use smol_str::SmolStr;

use super::argument::ArgumentPath;
use super::block_kind::{BlockKind, REQUIRED_PROVIDERS};
use crate::engine::{Engine, Features, FileKind, Notation, Product};
use crate::finding::{Code, Finding};
use crate::limits::Limits;
use crate::module::merged::Strings;
use crate::module::{Module, ModuleFile};
use crate::syntax;
use crate::text::{FileId, Source, nearest};

/// What the path to an argument leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Leads {
    /// Something that only a provider, a module or a value decides, or an argument with a value.
    Anywhere,
    /// A type, a reference or a keyword.
    Address,
    /// A nested block.
    Block,
    /// Something that the engines refuse.
    Nowhere {
        /// The name that they refuse.
        name: SmolStr,
        /// The block in which they refuse it.
        within: SmolStr,
        /// The suggested name, as a sentence.
        suggestion: Option<String>,
    },
}

/// The arguments of an entry of `required_providers`, which is an object.
const ENTRY: &[&str] = &["configuration_aliases", "source", "version"];

/// A name that no block has.
const NOTHING: &str = "overrule_probe";

/// What the path to an argument leads to in a block type, for the engine that allows most.
pub(super) fn leads(kind: &BlockKind, path: &ArgumentPath) -> Leads {
    if kind.name == REQUIRED_PROVIDERS {
        return entry(&path.steps()[0]);
    }
    let of = |product| Probe { kind, features: Engine::newest(product).features() }.leads(path.steps());
    let [terraform, opentofu] = Product::ALL.map(of);
    if matches!(terraform, Leads::Nowhere { .. }) { opentofu } else { terraform }
}

fn entry(name: &SmolStr) -> Leads {
    if ENTRY.contains(&name.as_str()) {
        return if name == "configuration_aliases" { Leads::Address } else { Leads::Anywhere };
    }
    let suggestion = nearest(name, ENTRY.iter().copied()).map(|meant| format!("did you mean `{meant}`?"));
    Leads::Nowhere { name: name.clone(), within: "required_providers".into(), suggestion }
}

/// Decodes generated blocks of one type for one engine.
struct Probe<'k> {
    kind: &'k BlockKind,
    features: Arc<Features>,
}

impl Probe<'_> {
    fn leads(&self, steps: &[SmolStr]) -> Leads {
        // The text before and after the name in question, and the innermost block.
        let (mut before, mut behind) = (String::new(), String::new());
        let mut within = SmolStr::new(self.kind.name.rsplit('.').next().unwrap_or(self.kind.name));
        let mut left = steps;
        while let Some((name, below)) = left.split_first() {
            let refusal = |text: &str, at: &str| self.refusal(&before, text, &behind, at);
            let argument = refusal(&format!("{name} = null"), name);
            let mut labels = String::new();
            let mut below = below;
            // A nested block without its labels is refused.
            while self.lacks_label(&format!("{before}{name}{labels} {{\n}}{behind}"), name) {
                let Some((label, rest)) = below.split_first() else { return Leads::Block };
                labels.push_str(&format!(" \"{label}\""));
                below = rest;
            }
            let block = refusal(&format!("{name}{labels} {{\n}}"), name);
            let inside = format!("{name}{labels} {{\n{NOTHING} = null\n}}");
            let is_closed = block.is_none() && refusal(&inside, NOTHING).is_some();
            if Strings::of(&within, name, &self.features) == Strings::Addresses && argument.is_none() {
                return Leads::Address;
            }
            match (argument, block) {
                (Some(refused), Some(_)) => {
                    let suggestion = refused.help.filter(|help| help.starts_with("did you mean"));
                    return Leads::Nowhere { name: name.clone(), within, suggestion };
                }
                (_, None) if below.is_empty() && !labels.is_empty() => return Leads::Block,
                (Some(_), None) if below.is_empty() => return Leads::Block,
                (_, None) if is_closed && below.is_empty() => return Leads::Block,
                (_, None) if is_closed => {
                    before = format!("{before}{name}{labels} {{\n");
                    behind = format!("\n}}{behind}");
                    within = name.clone();
                    left = below;
                }
                (None, _) | (Some(_), None) => return Leads::Anywhere,
            }
        }
        Leads::Block
    }

    /// The diagnostic of an engine for a name in a body.
    fn refusal(&self, before: &str, text: &str, behind: &str, name: &str) -> Option<Finding> {
        let text = self.kind.around(&format!("{before}{text}{behind}"));
        self.findings(&text).into_iter().find(|finding| {
            let at = finding.primary.map(|at| &text[at.start as usize..at.end as usize]);
            matches!(finding.code, Some(Code::UnsupportedArgument | Code::UnsupportedBlock))
                && at.is_some_and(|at| at.contains(name))
        })
    }

    /// Whether a nested block in a body needs one more label.
    fn lacks_label(&self, body: &str, name: &str) -> bool {
        let lacking = Some(Code::MissingLabel(name.into()));
        self.findings(&self.kind.around(body)).iter().any(|finding| finding.code == lacking)
    }

    fn findings(&self, text: &str) -> Vec<Finding> {
        let source = Source::new("main.tf", text.to_owned().into_bytes());
        let limits = Limits::default();
        let (file, mut findings) = syntax::parse(FileId::new(0), &source, Notation::Native, &limits);
        let files =
            [ModuleFile { name: "main.tf", body: &file.body, kind: FileKind::Primary, complete: true }];
        Module::build("", &files, &self.features, &limits, &mut findings);
        findings
    }
}
