#![doc = include_str!("../../../policies/rules/block-order.md")]

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::blocks::{Among, Blocks};
use super::parts::Part;
use crate::module::Module;
use crate::rules::{Configure, Context, Finding, Node, Options, Page, Rule, page};

pub(super) struct BlockOrder {
    blocks: Blocks,
    order: Vec<&'static str>,
}

/// Variables without a default come first.
const REQUIRED: &str = "required";

/// Names are sorted alphabetically.
const NAME: &str = "name";

/// A sort key of blocks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    IsOptional(bool),
    Labels(Vec<SmolStr>),
}

impl Configure for BlockOrder {
    const OPTIONS: &'static [&'static str] = &["blocks", "except", "order"];

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        let blocks = Blocks::configure(options, Among::Labeled)?;
        let order = options.required("order", options.words("order", &[NAME, REQUIRED])?)?;
        let help = "write [\"name\"], [\"required\"] or [\"required\", \"name\"]";
        options.refuse_empty("order", "An empty list would allow any order.", help)?;
        if order.contains(&REQUIRED) && !blocks.has_kind("variable") {
            let why = "Only variables are required or optional, and `blocks` names no variable.";
            return Err(options.refuse("order", why).help("write [\"name\"], or add `variable` to `blocks`"));
        }
        Ok(Self { blocks, order })
    }
}

impl Rule for BlockOrder {
    const PAGE: Page = page!("block-order");

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let mut groups: BTreeMap<_, Vec<Part>> = BTreeMap::new();
        for part in self.blocks.of(node.module(), context) {
            groups.entry((part.kind(), part.header.file)).or_default().push(part);
        }
        for parts in groups.values_mut() {
            parts.sort_by_key(|part| part.header.start);
            let keys: Vec<_> = parts.iter().map(|part| self.keys(part, node.module())).collect();
            // Only the first unsorted block is reported, because the right place of the others depends on it.
            let Some(at) = keys.windows(2).position(|two| two[1] < two[0]) else { continue };
            let part = &parts[at + 1];
            let Some(next) = keys.iter().position(|key| *key > keys[at + 1]) else { continue };
            let next = &parts[next];
            Self::finding("Declaration out of order")
                .detail(format!(
                    "`{}` comes after `{}`. Within a file, {}.",
                    part.address(),
                    next.address(),
                    self.wanted(part.kind())
                ))
                .at(part.header)
                .related(next.header, format!("belongs after `{}`", part.address()))
                .help(format!("move it above `{}`", next.address()))
                .address(part.address())
                .push_to(findings);
        }
    }
}

impl BlockOrder {
    fn keys(&self, part: &Part, module: &Module) -> Vec<Key> {
        let key = |word: &&str| match *word {
            REQUIRED => {
                let variable = part.labels().last().and_then(|name| module.variables.get(name));
                let has_default = variable.is_some_and(|variable| variable.origin.writes("default"));
                Key::IsOptional(part.kind() == "variable" && has_default)
            }
            _ => Key::Labels(part.labels().to_vec()),
        };
        self.order.iter().map(key).collect()
    }

    fn wanted(&self, kind: &str) -> &'static str {
        match (kind == "variable" && self.order.contains(&REQUIRED), self.order.contains(&NAME)) {
            (true, true) => {
                "variables without a default must come first, and each group must be in alphabetical order"
            }
            (true, false) => "variables without a default must come first",
            (false, _) => "names must be in alphabetical order",
        }
    }
}
