//! Finds out which expressions of a module use its variables, its local values, and the outputs of the modules that it
//! calls.

use std::collections::BTreeSet;

use hashbrown::{HashMap, HashSet};
use smol_str::SmolStr;

use super::read_outputs::for_each_read_output;
use crate::graph::Node;
use crate::module::address::{ResourceAddress, Subject, reference};
use crate::module::canonical::{NamedValue, named_values};
use crate::module::declaration::{Condition, Repeated};
use crate::module::{Module, ModuleFile};
use crate::syntax::{Expr, ExprKind, Traversal};
use crate::text::Span;

/// A value that expressions of a module can use.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Used {
    /// A variable.
    Variable(SmolStr),
    /// A local value.
    Local(SmolStr),
    /// An output of a module call.
    Output {
        /// The name of the call.
        call: SmolStr,
        /// The name of the output, or `None` for the module as a whole.
        output: Option<SmolStr>,
    },
}

impl Used {
    /// An output of a call.
    pub(crate) fn output(call: &SmolStr, output: &SmolStr) -> Self {
        Self::Output { call: call.clone(), output: Some(output.clone()) }
    }
}

/// A user of a value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum User {
    /// The plan or a test: a provider configuration, a condition, and so on.
    Plan,
    /// A validation of the variable.
    Validation(SmolStr),
    /// The arguments of a resource for its provider.
    Resource(ResourceAddress),
    /// `count` or `for_each` of a resource or module call.
    Repetition(NamedValue),
    /// An expression that defines another value.
    Value(NamedValue),
}

/// The users of the values of a module.
#[derive(Debug, Default)]
pub(crate) struct ValueFlow {
    users: HashMap<Used, BTreeSet<User>>,
    /// Users of modules whose name is not constant.
    of_any_module: BTreeSet<User>,
}

/// Calls a function for each expression in these files of a module, which are all its files, and what it defines.
pub(crate) fn for_each_user(node: Node<'_>, files: &[ModuleFile<'_>], visit: &mut dyn FnMut(&Expr, &User)) {
    let module = node.module();
    let values = named_values(module).into_iter();
    let mut users: HashMap<Span, User> = values.map(|(value, span)| (span, User::Value(value))).collect();
    for variable in module.variables.values() {
        let parts = variable.validations.iter().flat_map(Condition::parts);
        let user = || User::Validation(variable.name.clone());
        users.extend(parts.map(|part| (part.expr.span, user())));
    }
    let repetition = |(count, for_each): Repeated<'_>, of: NamedValue| {
        let both = [count, for_each].into_iter().flatten();
        both.map(|it| (it.expr.span, User::Repetition(of.clone()))).collect::<Vec<_>>()
    };
    for call in module.calls.values() {
        let of = NamedValue::Call(call.name.clone());
        users.extend(repetition(call.repeated(), of));
    }
    for resource in module.resources.values() {
        let of = NamedValue::Resource(resource.address.clone());
        users.extend(repetition(resource.repeated(), of));
        resource.config.for_each_expression(&mut |expr| {
            users.insert(expr.span, User::Resource(resource.address.clone()));
        });
    }
    let dependencies = dependencies(module);
    for file in files {
        file.body.for_each_expression(&mut |expr| {
            if !is_depends_on(expr, &dependencies) {
                visit(expr, users.get(&expr.span).unwrap_or(&User::Plan));
            }
        });
    }
}

/// The spans of the roots of the references in `depends_on` to resources and modules as a whole.
fn dependencies(module: &Module) -> HashSet<Span> {
    let of_resources = module.resources.values().flat_map(|resource| &resource.depends_on);
    let of_calls = module.calls.values().flat_map(|call| &call.depends_on);
    let of_outputs = module.outputs.values().flat_map(|output| &output.depends_on);
    let all = of_resources.chain(of_calls).chain(of_outputs).map(|dependency| &dependency.traversal);
    all.filter(|it| it.root != "module" || it.steps.len() == 1).map(|it| it.root_span).collect()
}

/// Whether an expression is the list in `depends_on`, which decides about the order of operations only.
fn is_depends_on(expr: &Expr, dependencies: &HashSet<Span>) -> bool {
    let ExprKind::Tuple(items) = &expr.kind else { return false };
    let is_dependency =
        |item: &Expr| matches!(&item.kind, ExprKind::Traversal(it) if dependencies.contains(&it.root_span));
    !items.is_empty() && items.iter().all(is_dependency)
}

impl ValueFlow {
    /// The users in these files of a module, which are all its files.
    pub(crate) fn of(node: Node<'_>, files: &[ModuleFile<'_>]) -> Self {
        let mut flow = Self::default();
        for_each_user(node, files, &mut |expr, user| flow.expression(node, expr, user));
        for subject in node.named_by_tests() {
            flow.subject(subject, &User::Plan);
        }
        flow
    }

    /// The users of a value.
    pub(crate) fn users(&self, used: &Used) -> impl Iterator<Item = &User> {
        let whole = match used {
            Used::Output { call, output: Some(_) } => {
                self.users.get(&Used::Output { call: call.clone(), output: None })
            }
            _ => None,
        };
        let of_any = matches!(used, Used::Output { .. }).then_some(&self.of_any_module);
        self.users.get(used).into_iter().chain(whole).chain(of_any).flatten()
    }

    fn expression(&mut self, node: Node<'_>, expr: &Expr, user: &User) {
        let features = &node.module().features;
        let traversal = |flow: &mut Self, traversal: &Traversal| {
            if let Ok(reference) = reference(traversal, features) {
                flow.subject(reference.subject, user);
            }
        };
        expr.walk(&mut |inner, _| match &inner.kind {
            ExprKind::Traversal(it) if it.root != "module" => traversal(self, it),
            // It is unknown whether such a string is an address, as in `depends_on`.
            ExprKind::JsonString(_) => {
                if let Some(it) = inner.as_traversal() {
                    traversal(self, &it);
                }
            }
            _ => {}
        });
        for_each_read_output(expr, node.module(), &mut |call, output| match call {
            Some(call) => self.add(Used::Output { call: call.clone(), output: output.cloned() }, user),
            None => {
                self.of_any_module.insert(user.clone());
            }
        });
    }

    fn subject(&mut self, subject: Subject, user: &User) {
        match subject {
            Subject::Variable(name) => self.add(Used::Variable(name), user),
            Subject::Local(name) => self.add(Used::Local(name), user),
            Subject::Module { call, output, .. } => self.add(Used::Output { call, output }, user),
            _ => {}
        }
    }

    fn add(&mut self, value: Used, user: &User) {
        self.users.entry(value).or_default().insert(user.clone());
    }
}
