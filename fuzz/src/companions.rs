//! Files beside modules: variable definitions files, dependency lock files, the manifest of installed modules, and
//! Terragrunt units, in all notations.

use overrule::engine::{Engine, Product};
use overrule::limits::Limits;
use overrule::module::terragrunt::TerragruntFile;
use overrule::module::{lock, manifest, values};
use overrule::syntax::{self, Notation};
use overrule::text::{FileId, Source};

use super::place::{lie_in, lies_in};

/// Panics if such a file violates a property.
pub fn holds(bytes: &[u8]) {
    let limits = Limits::default();
    let id = FileId::new(0);
    for name in ["terraform.tfvars", "terraform.tfvars.json"] {
        let source = Source::new(name, bytes.to_vec());
        let (file, mut findings) = syntax::parse(id, &source, Notation::of(name), &limits);
        for argument in values::arguments(&file.body, !findings.is_empty(), &mut findings) {
            lies_in(argument.span, source.text());
            lies_in(argument.expr.span, source.text());
        }
        lie_in(&findings, &source);
    }
    let source = Source::new(".terraform.lock.hcl", bytes.to_vec());
    for product in Product::ALL {
        let features = Engine::newest(product).features();
        let (_, findings) = lock::check(id, &source, &features, &limits);
        lie_in(&findings, &source);
        let (_, again) = lock::check(id, &source, &features, &limits);
        assert_eq!(findings, again);
        let selects = lock::Lock::read(id, &source, &features);
        assert!(selects.is_some() || !findings.is_empty(), "what cannot be read is reported");
    }
    assert_eq!(manifest::read(bytes), manifest::read(bytes));
    for name in ["terragrunt.hcl", "terragrunt.hcl.json"] {
        let source = Source::new(name, bytes.to_vec());
        let unit = TerragruntFile::read(&source);
        let generated = unit.generated.iter().flat_map(|file| [&file.path, &file.contents]).flatten();
        let included = unit.includes.iter().map(|include| &include.path);
        for expr in unit.source.iter().chain(included).chain(unit.locals.values()).chain(generated) {
            lies_in(expr.span, source.text());
        }
    }
}
