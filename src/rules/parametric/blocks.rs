//! Turns patterns such as `resource.aws_*` into the blocks of a merged module that they mean.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::finding::Finding;
use crate::module::Module;
use crate::module::address::Mode;
use crate::module::declaration::{Origin, Storage};
use crate::policy::{Globs, Options};
use crate::syntax::Block;
use crate::text::Span;

/// The kinds of blocks that a pattern can begin with.
const KINDS: &[&str] = &[
    "action",
    "backend",
    "check",
    "cloud",
    "data",
    "ephemeral",
    "import",
    "module",
    "moved",
    "output",
    "provider",
    "removed",
    "resource",
    "variable",
];

/// Those for which somebody chooses a name; a local value is one of them, though it is no block.
const NAMED: &[&str] = &[
    "action",
    "check",
    "data",
    "ephemeral",
    "local",
    "module",
    "output",
    "provider",
    "resource",
    "variable",
];

/// Blocks of a module, by kind and labels.
pub(super) struct Blocks {
    wanted: Globs,
    except: Globs,
}

/// A block as it is after override files.
pub(super) struct Part<'m> {
    kind: &'static str,
    /// Its labels; of a provider configuration the alias stands behind them.
    labels: Vec<SmolStr>,
    /// How one points at it: the header of the base, and of a local value the whole argument.
    pub(super) header: Span,
    /// Where the name stands that somebody chose for it.
    pub(super) name: Option<Span>,
    /// The base, then its overrides; none of a local value.
    pub(super) layers: Vec<&'m Arc<Block>>,
}

impl Blocks {
    /// Reads the options `blocks` and `except`.
    pub(super) fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        Self::among(KINDS, options)
    }

    /// The same for what has a name that somebody chose.
    pub(super) fn with_names(options: &Options<'_>) -> Result<Self, Finding> {
        Self::among(NAMED, options)
    }

    fn among(kinds: &[&str], options: &Options<'_>) -> Result<Self, Finding> {
        let wanted = options.texts("blocks")?;
        let wanted = options.required("blocks", wanted)?;
        let order = "name blocks, as in [\"resource\"], or turn the rule off with `level = \"off\"`";
        options.refuse_empty("blocks", "Without a pattern the rule looks at no block.", order)?;
        let except = options.texts("except")?.unwrap_or_default();
        Ok(Self { wanted: globs(options, &wanted, kinds)?, except: globs(options, &except, kinds)? })
    }

    /// The blocks of a module that are meant, by kind and name.
    pub(super) fn of<'m>(&self, module: &'m Module) -> Vec<Part<'m>> {
        let mut parts = parts(module);
        parts.retain(|part| {
            let path = part.path();
            self.wanted.has(&path) && !self.except.has(&path)
        });
        parts
    }
}

/// Points part the names of a pattern as they do in an address.
fn globs(options: &Options<'_>, patterns: &[(SmolStr, Span)], kinds: &[&str]) -> Result<Globs, Finding> {
    for (pattern, span) in patterns {
        let kind = pattern.split('.').next().unwrap_or(pattern);
        let is_pattern = kind.contains(['*', '?', '[', '{']);
        if !is_pattern && !kinds.contains(&kind) {
            let unknown = options.unknown("kind of block", kind, kinds, *span);
            // Without its kind, an address is that of a resource.
            return Err(if kind.contains('_') {
                Finding { help: Some(format!("write `resource.{pattern}`")), ..unknown }
            } else {
                unknown
            });
        }
        if pattern.split('.').any(str::is_empty) {
            let why = format!("`{pattern}` stands for no block: a name is missing beside a point");
            return Err(options.mistake("Invalid pattern", *span).detail(why));
        }
        let checked = Globs::new([pattern.replace('.', "/").as_str()]);
        checked.map_err(|invalid| options.mistake("Invalid pattern", *span).detail(invalid.why))?;
    }
    let all: Vec<String> = patterns.iter().map(|(pattern, _)| pattern.replace('.', "/")).collect();
    let Some((_, first)) = patterns.first() else { return Ok(Globs::default()) };
    let all = Globs::new(all.iter().map(String::as_str));
    all.map_err(|invalid| options.mistake("Invalid pattern", *first).detail(invalid.why))
}

impl Part<'_> {
    /// The word before its labels.
    pub(super) fn kind(&self) -> &'static str {
        self.kind
    }

    /// The name that somebody chose for it; none where nobody did.
    pub(super) fn chosen(&self) -> Option<(&SmolStr, Span)> {
        self.labels.last().zip(self.name)
    }

    /// As people know it.
    pub(super) fn address(&self) -> String {
        let kind = (self.kind != "resource").then_some(self.kind);
        kind.into_iter().chain(self.labels.iter().map(SmolStr::as_str)).collect::<Vec<_>>().join(".")
    }

    fn path(&self) -> String {
        let labels = self.labels.iter().map(SmolStr::as_str);
        std::iter::once(self.kind).chain(labels).collect::<Vec<_>>().join("/")
    }
}

impl<'m> Part<'m> {
    fn merged(kind: &'static str, labels: &[&SmolStr], origin: &'m Origin) -> Self {
        Self { layers: origin.blocks().collect(), ..Self::plain(kind, labels, &origin.base) }
    }

    fn plain(kind: &'static str, labels: &[&SmolStr], block: &'m Arc<Block>) -> Self {
        let labels: Vec<SmolStr> = labels.iter().copied().cloned().collect();
        let name = block.labels.last().map(|label| label.span);
        Self { kind, labels, header: block.header, name, layers: vec![block] }
    }
}

/// Everything that a module declares, by kind and then by name, or in its order where there are no names.
fn parts(module: &Module) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    for resource in module.resources.values() {
        let kind = match resource.address.mode {
            Mode::Managed => "resource",
            Mode::Data => "data",
            Mode::Ephemeral => "ephemeral",
        };
        parts.push(Part::merged(kind, &[&resource.address.kind, &resource.address.name], &resource.origin));
    }
    parts.extend(module.calls.values().map(|call| Part::merged("module", &[&call.name], &call.origin)));
    for provider in module.providers.values() {
        let part = Part::merged("provider", &[&provider.name], &provider.origin);
        let alias = provider.alias.as_ref();
        let labels = part.labels.iter().cloned().chain(alias.map(|alias| alias.value.clone())).collect();
        // Nobody chooses the name of a provider, but that of its configuration.
        parts.push(Part { labels, name: alias.map(|alias| alias.span), ..part });
    }
    let variables = module.variables.values();
    parts.extend(variables.map(|variable| Part::merged("variable", &[&variable.name], &variable.origin)));
    parts.extend(
        module.outputs.values().map(|output| Part::merged("output", &[&output.name], &output.origin)),
    );
    parts.extend(module.locals.values().map(|local| Part {
        kind: "local",
        labels: vec![local.name.clone()],
        header: local.attribute.name_span,
        name: Some(local.attribute.name_span),
        layers: Vec::new(),
    }));
    let actions = module.actions.values();
    parts.extend(actions.map(|action| Part::merged("action", &[&action.kind, &action.name], &action.origin)));
    parts.extend(module.checks.values().map(|check| Part::plain("check", &[&check.name], &check.block)));
    if let Some(Storage { kind: Some(kind), block, .. }) = &module.backend {
        parts.push(Part { name: None, ..Part::plain("backend", &[kind], block) });
    }
    parts.extend(module.cloud.iter().map(|cloud| Part::plain("cloud", &[], &cloud.block)));
    parts.extend(module.moved.iter().map(|moved| Part::plain("moved", &[], &moved.block)));
    parts.extend(module.removed.iter().map(|removed| Part::plain("removed", &[], &removed.block)));
    parts.extend(module.imports.iter().map(|import| Part::plain("import", &[], &import.block)));
    parts
}
