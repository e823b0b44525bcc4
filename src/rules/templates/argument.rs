//! Paths to arguments, such as `tags.Owner`.

use std::fmt;

use smol_str::SmolStr;

use crate::finding::Finding;
use crate::policy::Options;
use crate::syntax::{ExprKind, StepKind, Traversal};
use crate::text::{Span, is_identifier};

/// A path from a block to an argument: through nested blocks, arguments, and the keys of their values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ArgumentPath(Vec<SmolStr>);

impl ArgumentPath {
    /// Reads the option `argument`, a string or a bare path, with its span.
    pub(super) fn configure(options: &Options<'_>) -> Result<(Self, Span), Finding> {
        let expr = options.required("argument", options.expression("argument"))?;
        let path = match &expr.kind {
            ExprKind::Traversal(traversal) => Self::followed(traversal),
            _ => Self::parse(&options.required("argument", options.string("argument")?)?),
        };
        path.map(|path| (path, expr.span)).ok_or_else(|| {
            options
                .mistake("Invalid `argument`", expr.span)
                .detail("A path consists of names of nested blocks, arguments and object keys.")
                .help("separate names with dots, as in \"tags.Owner\", and write other keys as in labels[\"a.b\"]")
        })
    }

    /// The names of the path, at least one.
    pub(super) fn steps(&self) -> &[SmolStr] {
        &self.0
    }

    fn followed(traversal: &Traversal) -> Option<Self> {
        let mut steps = vec![traversal.root.clone()];
        for step in &traversal.steps {
            match &step.kind {
                StepKind::Attribute(name) | StepKind::Key(name) => steps.push(name.clone()),
                StepKind::Number(_) | StepKind::Word(_) => return None,
            }
        }
        Some(Self(steps))
    }

    fn parse(text: &str) -> Option<Self> {
        let mut steps = Vec::new();
        let mut rest = text;
        loop {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            let (name, behind) = rest.split_at(end);
            if !is_identifier(name) {
                return None;
            }
            steps.push(SmolStr::new(name));
            rest = behind;
            while let Some(inside) = rest.strip_prefix("[\"") {
                let (key, behind) = inside.split_once("\"]")?;
                steps.push(SmolStr::new(key));
                rest = behind;
            }
            match rest.strip_prefix('.') {
                Some(behind) => rest = behind,
                None if rest.is_empty() => return Some(Self(steps)),
                None => return None,
            }
        }
    }
}

impl fmt::Display for ArgumentPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, step) in self.0.iter().enumerate() {
            match (number, is_identifier(step)) {
                (0, _) => f.write_str(step)?,
                (_, true) => write!(f, ".{step}")?,
                (_, false) => write!(f, "[\"{step}\"]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_goes_by_names_and_keys() {
        for text in [
            "tags",
            "tags.Owner",
            "labels[\"app.kubernetes.io/name\"]",
            "a.b[\"c d\"].e",
            "provisioner.local-exec",
        ] {
            let path = ArgumentPath::parse(text).unwrap_or_else(|| panic!("{text} is a path"));
            assert_eq!(path.to_string(), text);
        }
        let path = ArgumentPath::parse("a[\"x.y\"].b").expect("a path");
        assert_eq!(path.steps(), ["a", "x.y", "b"]);
        for text in ["", ".", "a.", ".a", "a b", "a[0]", "a[\"b\"", "a[\"b\"]c", "a..b", "ingress.0", "*.a"] {
            assert_eq!(ArgumentPath::parse(text), None, "{text}");
        }
    }
}
