//! Text that functions decode, and templates that they render: nothing panics, and each value has its type.

use std::sync::Arc;

use overrule::engine::{Choice, Engine};
use overrule::limits::Limits;
use overrule::syntax::{Traversal, parse_expression};
use overrule::value::{Budget, Lookup, Resolved, Scope, evaluate};
use overrule::vfs::NamedFile;

/// A scope in which every path leads to the same file.
struct OneFile<'f> {
    content: &'f [u8],
    work: Budget,
    limits: Limits,
}

impl Scope for OneFile<'_> {
    fn engine(&self) -> Engine {
        Choice::parse("terraform").expect("an engine").engines()[0]
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn work(&self) -> &Budget {
        &self.work
    }

    fn resolve(&self, _: &Traversal) -> Option<Resolved<'_>> {
        None
    }

    fn named_file(&self, _: &str) -> Lookup {
        Lookup { file: NamedFile::File(Some(Arc::from(self.content))), root: None }
    }
}

/// Panics if the content of a file violates a property.
pub fn holds(content: &[u8]) {
    for call in [
        "jsondecode(file(\"x\"))",
        "yamldecode(file(\"x\"))",
        "csvdecode(file(\"x\"))",
        "templatefile(\"x\", { a = 1, b = [1, 2], c = { d = \"x\" } })",
        "fileset(\"x\", file(\"x\"))",
    ] {
        let expr = parse_expression(call).expect("an expression");
        let scope = OneFile { content, work: Budget::of(usize::MAX), limits: Limits::default() };
        let value = evaluate(&expr, &scope, &mut Vec::new());
        assert!(value.is(&value.ty()), "{call} has its type");
        let again = evaluate(&expr, &scope, &mut Vec::new());
        assert_eq!(value, again, "{call} gives the same, every time");
    }
}
