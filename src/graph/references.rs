//! Collects the references of a module and reports invalid ones.
//!
//! Each expression is checked where the engine evaluates it, with the symbols that are valid there. Addresses in
//! `moved`, `removed` and `import`, which the engine evaluates only while planning, are skipped.

mod declared;
mod links;
pub(super) mod sites;
pub(in crate::graph) mod symbols;
mod triggers;

use std::cell::OnceCell;
use std::collections::BTreeSet;

use smol_str::SmolStr;

use crate::finding::{EngineRule, Finding, Severity, Stage, has_errors, set_address};
use crate::graph::Node;
use crate::graph::evaluation::Values;
use crate::graph::similar::Similar;
use crate::module::address::{Reference, Subject, reference};
use crate::module::declaration::{Dependency, Variable};
use crate::syntax::{Expr, Iteration, Traversal};
use crate::text::{Span, is_similar};
pub(super) use declared::{Declared, help_for_counted, undeclared};
pub(super) use links::Links;
use sites::{Found, Owner, Site};

/// The references of a module.
pub(super) struct CheckedReferences {
    /// The references between declarations.
    pub(super) links: Links,
    /// The expressions with an invalid reference or a syntax error.
    pub(super) wrong: BTreeSet<Span>,
    /// Whether a type name is among the references.
    pub(super) names_types: bool,
}

/// Checks every expression of a module.
pub(super) fn check(node: Node<'_>, findings: &mut Vec<Finding>) -> CheckedReferences {
    let mut wrong = BTreeSet::new();
    let mut judge = Judge { links: Links::of(node.module()), ..Judge::new(node, findings) };
    sites::for_each(node, &mut |site, found| match found {
        Found::Expression(expr, around) => {
            let before = judge.findings.len();
            judge.expression(site, expr, around);
            let features = &node.module().features;
            declared::validated_variable(site, expr, features, &mut judge.findings[before..]);
            let is_wrong = |found: &Finding| found.severity == Severity::Error && found.stage != Stage::Plan;
            if judge.findings[before..].iter().any(is_wrong) {
                wrong.insert(expr.span);
            }
            site.doubt(node, &mut judge.findings[before..]);
        }
        Found::Unevaluated(_) => {}
        Found::Broken(expr) => {
            wrong.insert(expr.span);
        }
        Found::Dependencies(dependencies) => judge.dependencies(site, dependencies),
    });
    for resource in node.module().resources.values() {
        if !resource.managed.replace_triggered_by.is_empty() {
            judge.triggers(resource);
        }
        if !resource.managed.triggered_actions.is_empty() {
            judge.triggered_actions(resource);
        }
    }
    CheckedReferences { links: judge.links, wrong, names_types: judge.names_types }
}

/// Whether a reference to a resource, a module or `self` in an expression is certainly invalid, without any values.
pub(super) fn is_unsound(node: Node<'_>, site: &Site<'_>, expr: &Expr) -> bool {
    let mut findings = Vec::new();
    let mut judge = Judge::new(node, &mut findings);
    expr.for_each_variable(|traversal| {
        if let Ok(reference) = reference(traversal, &node.module().features)
            && matches!(
                reference.subject,
                Subject::Resource { .. } | Subject::Module { .. } | Subject::Itself
            )
        {
            let declared = Declared::of(node.module(), &reference.subject);
            judge.reference(site, &reference, declared);
        }
    });
    has_errors(&findings)
}

/// Whether an expression in a validation of a variable has an invalid reference.
pub(super) fn is_wrong(node: Node<'_>, variable: &Variable, expr: &Expr) -> bool {
    let mut findings = Vec::new();
    let site = Site::of(Owner::Variable(variable));
    let mut judge = Judge::new(node, &mut findings);
    judge.expression(&site, expr, Iteration::NONE);
    has_errors(&findings)
}

/// Checks a reference in an assertion of a test beyond the name: instance keys, attributes, and what `path` has.
pub(super) fn in_assertion(node: Node<'_>, traversal: &Traversal, findings: &mut Vec<Finding>) {
    let module = node.module();
    let Ok(reference) = reference(traversal, &module.features) else { return };
    match (&reference.subject, Declared::of(module, &reference.subject)) {
        (Subject::Resource { key, .. }, Some(Declared::Resource(resource))) => {
            let from = findings.len();
            let site = Site::of(Owner::Resource(resource));
            declared::instance(resource, key.as_ref(), &site, &reference, findings);
            if findings.len() == from {
                declared::attribute(resource, &reference, findings);
            }
        }
        (Subject::Path(name), _) => symbols::path(name, reference.span, findings),
        (Subject::Terraform(name), _) => symbols::engine("terraform", name, module, reference.span, findings),
        _ => {}
    }
}

/// The results for one module.
struct Judge<'t, 'f> {
    node: Node<'t>,
    similar: Similar,
    links: Links,
    names_types: bool,
    /// The values of the module. All references share the evaluation step limit.
    values: OnceCell<Values<'t>>,
    findings: &'f mut Vec<Finding>,
}

impl<'t, 'f> Judge<'t, 'f> {
    fn new(node: Node<'t>, findings: &'f mut Vec<Finding>) -> Self {
        let (similar, links) = (Similar::default(), Links::default());
        Self { node, similar, links, names_types: false, values: OnceCell::new(), findings }
    }

    fn expression(&mut self, site: &Site<'_>, expr: &Expr, around: Iteration<'_>) {
        expr.for_each_variable(|traversal| {
            if !around.names.contains(&traversal.root) {
                self.traversal(site, traversal, around);
            }
        });
    }

    fn traversal(&mut self, site: &Site<'_>, traversal: &Traversal, around: Iteration<'_>) {
        let from = self.findings.len();
        let module = self.node.module();
        let reference = reference(traversal, &module.features);
        let declared = reference.as_ref().ok().and_then(|reference| Declared::of(module, &reference.subject));
        if let Some(declared) = declared {
            self.links.add(site, declared);
        }
        match &reference {
            Ok(reference) => self.reference(site, reference, declared),
            Err(error) => self.findings.push(error.finding()),
        }
        self.at_site(site, from);
        if !around.is_certain {
            // Only a name without a meaning of its own may be a misspelled iterator, and it has the form of a resource.
            let is_resource = matches!(&reference, Ok(Reference { subject: Subject::Resource { .. }, .. }));
            let names = if is_resource { around.names } else { &[] };
            self.findings[from..].iter_mut().for_each(|finding| only_if_expanded(finding, traversal, names));
        }
        if let Ok(reference) = &reference
            && let Some(Declared::Resource(resource)) = declared
            && self.findings.len() == from
        {
            let values = || self.values.get_or_init(|| self.node.values());
            let is_planned = || around.is_certain && self.node.is_planned();
            let found = declared::of_itself(resource, reference, site, is_planned, &values);
            self.findings.extend(found);
        }
    }

    /// Checks a reference to `declared`, or to an undeclared name.
    fn reference(&mut self, site: &Site<'_>, reference: &Reference<'_>, declared: Option<Declared<'_>>) {
        let module = self.node.module();
        let at = reference.span;
        match (&reference.subject, declared) {
            (Subject::Resource { key, .. }, Some(Declared::Resource(resource))) => {
                declared::instance(resource, key.as_ref(), site, reference, self.findings);
                declared::scope(resource, site.check(), at, self.findings);
                declared::attribute(resource, reference, self.findings);
                declared::import_of_itself(resource, site, at, self.findings);
            }
            (
                subject @ (Subject::Variable(_)
                | Subject::Local(_)
                | Subject::Module { .. }
                | Subject::Resource { .. }),
                None,
            ) => {
                self.findings.extend(undeclared(module, subject, at, &self.similar, Some(&site.owner)));
            }
            (Subject::Count(name), None) => symbols::count(name, site, at, self.findings),
            (Subject::Each(name), None) => symbols::each(name, site, at, self.findings),
            (Subject::Path(name), None) => symbols::path(name, at, self.findings),
            (Subject::Terraform(name), None) => {
                symbols::engine("terraform", name, module, at, self.findings);
            }
            (Subject::Tofu(name), None) => symbols::engine("tofu", name, module, at, self.findings),
            (Subject::Itself, None) => match (&site.owner, site.symbols.itself) {
                (Owner::Resource(resource), true) => {
                    declared::attribute(resource, reference, self.findings);
                }
                _ => symbols::itself(at, self.findings),
            },
            // Not a reference.
            (Subject::TypeName(_), None) => self.names_types = true,
            // A declared object, or an address for other parts of the language.
            (_, Some(_)) | (Subject::Action { .. } | Subject::List { .. }, None) => {}
        }
    }

    /// `depends_on` names whole objects, and no symbols are valid there. After an element with an error, the engine
    /// does not check whether the others exist.
    fn dependencies(&mut self, site: &Site<'_>, dependencies: &[Dependency]) {
        let from = self.findings.len();
        let module = self.node.module();
        for dependency in dependencies {
            let is_right_so_far = self.findings.len() == from;
            match reference(&dependency.traversal, &module.features) {
                Err(error) => self.findings.push(error.finding()),
                Ok(reference) => {
                    let declared = Declared::of(module, &reference.subject);
                    if let Some(declared) = declared {
                        self.links.add(site, declared);
                    }
                    match reference.remaining {
                        [first, ..] => self.findings.push(attribute_in_depends_on(
                            &reference,
                            declared.is_some(),
                            first.span.to(dependency.traversal.span()),
                        )),
                        [] if is_right_so_far => {
                            self.reference(&site.without_symbols(), &reference, declared);
                        }
                        [] => {}
                    }
                }
            }
        }
        self.at_site(site, from);
    }

    /// Adds the address of the site to the findings since `from`.
    fn at_site(&mut self, site: &Site<'_>, from: usize) {
        let findings = &mut self.findings[from..];
        if !findings.is_empty() {
            set_address(findings, &site.to_string());
        }
        for finding in findings {
            finding.stage = Stage::Validate;
        }
    }
}

/// Changes the error for a reference in the content of a `dynamic` block, which the engine checks only if it knows that
/// the collection has elements. `validate` does not know the values of variables.
fn only_if_expanded(finding: &mut Finding, traversal: &Traversal, iterators: &[SmolStr]) {
    finding.stage = Stage::Plan;
    finding.severity = finding.severity.max(Severity::Warning);
    finding.detail += " A plan fails if the collection of the `dynamic` block has elements; `validate` may not report \
                       this.";
    if let Some(iterator) = iterators.iter().rev().find(|name| is_similar(name, &traversal.root)) {
        finding.help = Some(format!("did you mean `{iterator}`?"));
    }
}

fn attribute_in_depends_on(reference: &Reference<'_>, is_declared: bool, at: Span) -> Finding {
    let help = match &reference.subject {
        Subject::Resource { address, key: None } if is_declared => format!("write `{address}`"),
        _ => "remove this part of the reference".to_owned(),
    };
    Finding::language(EngineRule::InvalidReference, "Invalid depends_on reference")
        .detail("`depends_on` refers to whole objects, such as resources and modules, and not to their attributes.")
        .at(at)
        .help(help)
}
