//! References in test files, where additional roots are valid.

use smol_str::SmolStr;

use super::{Problem, Reader, ReferenceError, Subject, reference};
use crate::engine::Features;
use crate::syntax::{Step, Traversal};
use crate::text::Span;

/// A reference in a test file, at the start of a traversal.
#[derive(Debug, Clone, PartialEq)]
pub struct TestReference<'a> {
    /// The referenced object.
    pub subject: TestSubject,
    /// From the first name to the last step of the subject.
    pub span: Span,
    /// The remaining steps, which access the value.
    pub remaining: &'a [Step],
}

/// The objects that can be referenced in a test file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestSubject {
    /// `output.name`.
    Output(SmolStr),
    /// `check.name`.
    Check(SmolStr),
    /// `run.name`.
    Run(SmolStr),
    /// A reference that is valid in modules, too.
    InModule(Subject),
}

/// The reference at the start of `traversal` in a test file.
pub fn reference_in_test<'a>(
    traversal: &'a Traversal,
    features: &Features,
) -> Result<TestReference<'a>, ReferenceError> {
    let reader = Reader { traversal, product: features.engine.product.name() };
    let named = |subject: fn(SmolStr) -> TestSubject| {
        let (name, span, remaining) = reader.first_name()?;
        Ok(TestReference { subject: subject(name.clone()), span, remaining })
    };
    match traversal.root.as_str() {
        "output" => named(TestSubject::Output),
        "check" => named(TestSubject::Check),
        "run" => named(TestSubject::Run),
        "plan" | "state" => Err(reader.error(Problem::Reserved, traversal.root_span)),
        _ => {
            let reference = reference(traversal, features)?;
            let subject = TestSubject::InModule(reference.subject);
            Ok(TestReference { subject, span: reference.span, remaining: reference.remaining })
        }
    }
}
