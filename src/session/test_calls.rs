//! Finds the modules that the test files of a state load in their runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use smol_str::SmolStr;

use crate::session::calls::{local_address, parse};
use crate::syntax::{Attribute, BlockSchema, Schema};
use crate::text::Source;
use crate::value;
use crate::vfs::{Change, State, parent, tested_by};

/// By directory of a module: the local paths that the runs of its tests load.
pub(crate) fn of(change: &Change, state: State) -> BTreeMap<SmolStr, BTreeSet<SmolStr>> {
    let mut calls: BTreeMap<SmolStr, BTreeSet<SmolStr>> = BTreeMap::new();
    for source in change.test_files(state) {
        let addresses = addresses(&source);
        if addresses.is_empty() {
            continue;
        }
        let directory = parent(source.name()).unwrap_or_default();
        // The file may test the module in its directory or the one in the parent directory.
        for owner in tested_by(directory).into_iter().chain([directory]) {
            calls.entry(owner.into()).or_default().extend(addresses.iter().cloned());
        }
    }
    calls
}

fn addresses(source: &Source) -> BTreeSet<SmolStr> {
    if !source.text().contains("module") {
        return BTreeSet::new();
    }
    let schema = Schema { attributes: &[], blocks: &[BlockSchema::new("run", &["name"])] };
    let runs = parse(source).body.matching(&schema).blocks;
    let modules = runs.iter().flat_map(|run| run.blocks("module", &[]));
    let sources = modules.filter_map(|module| module.attribute("source"));
    let address =
        |source: Arc<Attribute>| local_address(value::constant(&source.expr, &mut Vec::new()).as_str()?);
    sources.filter_map(address).collect()
}

#[cfg(test)]
mod tests {
    use indoc::indoc;

    use super::*;

    #[test]
    fn runs_name_modules_in_both_notations() {
        let addresses = |name: &str, text: &str| {
            let found = addresses(&Source::new(name, text.into()));
            found.into_iter().map(|address| address.to_string()).collect::<Vec<_>>()
        };
        let native = indoc! {r#"
            run "a" {
              module {
                source = "./tests/setup"
              }
            }
        "#};
        assert_eq!(addresses("a.tftest.hcl", native), ["./tests/setup"]);
        let json = r#"{"run": {"a": {"module": {"source": "./b"}}, "c": {"module": {"source": "a/b/c"}}}}"#;
        assert_eq!(addresses("a.tftest.json", json), ["./b"]);
        assert!(addresses("a.tftest.hcl", "module \"m\" {\n  source = \"./b\"\n}\n").is_empty());
    }
}
