//! What a traversal in a test file refers to: more names mean something there.

use smol_str::SmolStr;

use super::{Problem, Reader, ReferenceError, Subject, reference};
use crate::engine::Features;
use crate::syntax::{Step, Traversal};
use crate::text::Span;

/// A reference in a test, cut from the front of a traversal.
#[derive(Debug, Clone, PartialEq)]
pub struct TestReference<'a> {
    /// What is referred to.
    pub subject: TestSubject,
    /// From the first name to the last step that belongs to the subject.
    pub span: Span,
    /// The steps behind it, which look into the value.
    pub remaining: &'a [Step],
}

/// What can be referred to in a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestSubject {
    /// `output.name`.
    Output(SmolStr),
    /// `check.name`.
    Check(SmolStr),
    /// `run.name`.
    Run(SmolStr),
    /// The same as in a module.
    InModule(Subject),
}

/// What `traversal` refers to in a test file.
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
