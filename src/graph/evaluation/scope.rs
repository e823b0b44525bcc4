//! The values of references before planning.

use std::borrow::Cow;
use std::rc::Rc;

use smol_str::SmolStr;

use super::locals::Locals;
use crate::engine::{Engine, Product};
use crate::graph::references::sites::Symbols;
use crate::graph::{Callee, Node};
use crate::limits::Limits;
use crate::module::address::{Mode, Subject, reference};
use crate::syntax::{Expr, StepKind, Traversal, quoted};
use crate::value::{self, Budget, Lookup, Marks, Number, Resolved, Type, Value, elements};
use crate::vfs::NamedFile;

/// The scope of the expressions of a module.
#[derive(Clone, Copy)]
pub(super) struct ModuleScope<'s> {
    pub(super) node: Node<'s>,
    pub(super) locals: &'s Locals,
    /// The iterators of the enclosing `dynamic` blocks, outermost first, with their values.
    pub(super) iterators: &'s [(SmolStr, Rc<Value>)],
    /// The remaining evaluation steps of the module.
    pub(super) work: &'s Budget,
    /// The symbols that are valid here. Invalid symbols were reported already.
    pub(super) symbols: Symbols,
    pub(super) names: Names,
    /// The known value of a variable, with its name.
    pub(super) known: Option<(&'s SmolStr, &'s Value)>,
    /// The known values of `count.index`, or of `each.key` and `each.value`.
    pub(super) instance: Option<&'s Instance>,
    /// The plan or test whose values are used, if there is one.
    pub(super) start: Option<Start<'s>>,
    pub(super) engine: Engine,
}

/// The module for which a command starts.
#[derive(Debug, Clone, Copy)]
pub(super) enum Start<'t> {
    /// A plan of this module, or of one that calls it.
    Plan(Node<'t>),
    /// The tests of this module.
    Test(Node<'t>),
}

/// More instances of a block than this are not distinguished.
const MOST_INSTANCES: usize = 1_000;

/// What the symbols of an instance stand for.
#[derive(Debug, Clone)]
pub(super) enum Instance {
    /// `count.index`.
    Index(Value),
    /// `each.key` and `each.value`.
    Each(Value, Value),
}

impl Instance {
    /// The instances of a block with this `count` or `for_each`. `None` if they are not known, or too many.
    pub(super) fn all(repetition: &Value) -> Option<Vec<Self>> {
        match repetition {
            Value::Number(count) => {
                let count = count.index().filter(|count| *count <= MOST_INSTANCES)?;
                Some((0..count).map(|index| Self::Index(Value::Number(Number::from(index)))).collect())
            }
            Value::Set(..) | Value::Map(..) | Value::Object(_) => {
                let elements = elements(repetition).filter(|elements| elements.len() <= MOST_INSTANCES)?;
                let each =
                    elements.into_iter().map(|(key, value)| Self::Each(key.into_owned(), value.clone()));
                Some(each.collect())
            }
            _ => None,
        }
    }

    /// Whether expressions use the symbols of instances.
    pub(super) fn is_used_by<'e>(expressions: impl IntoIterator<Item = &'e Expr>) -> bool {
        let mut is_used = false;
        for expr in expressions {
            expr.for_each_variable(|it| is_used |= matches!(it.root.as_str(), "each" | "count"));
        }
        is_used
    }

    /// The value of a symbol.
    pub(super) fn value(&self, symbol: &Subject) -> Option<&Value> {
        match (self, symbol) {
            (Self::Index(index), Subject::Count(name)) if name == "index" => Some(index),
            (Self::Each(key, _), Subject::Each(name)) if name == "key" => Some(key),
            (Self::Each(_, value), Subject::Each(name)) if name == "value" => Some(value),
            _ => None,
        }
    }

    /// Its key in `for_each`.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Each(key, _) => key.as_str(),
            Self::Index(_) => None,
        }
    }

    /// Its key as in an address.
    pub(super) fn key(&self) -> String {
        match self {
            Self::Index(key) | Self::Each(key, _) => match key {
                Value::String(key) => quoted(key),
                key => key.written().unwrap_or_default(),
            },
        }
    }
}

/// The meaning of a name that is not a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    /// An unknown value.
    Anything,
    /// None.
    Nothing,
    /// None, and references are not valid either.
    NotEvenReferences,
}

impl<'s> ModuleScope<'s> {
    /// The scope of a module without any symbols.
    pub(super) fn new(node: Node<'s>, locals: &'s Locals, work: &'s Budget) -> Self {
        let (symbols, engine) = (Symbols::default(), node.module().newest_engine());
        Self {
            node,
            locals,
            iterators: &[],
            work,
            symbols,
            names: Names::Anything,
            known: None,
            instance: None,
            start: None,
            engine,
        }
    }
}

impl value::Scope for ModuleScope<'_> {
    fn engine(&self) -> Engine {
        self.engine
    }

    fn limits(&self) -> &Limits {
        &self.node.module().limits
    }

    fn work(&self) -> &Budget {
        self.work
    }

    /// Undeclared names were reported already, so the evaluator gets no unknown names.
    fn resolve(&self, traversal: &Traversal) -> Option<Resolved<'_>> {
        let everything = Resolved { value: Cow::Owned(Value::UNKNOWN), steps: traversal.steps.len() };
        if let Some((_, value)) = self.iterators.iter().rfind(|(name, _)| *name == traversal.root) {
            return Some(Resolved { value: Cow::Borrowed(&**value), steps: 0 });
        }
        if self.names == Names::NotEvenReferences {
            return None;
        }
        let reference = match reference(traversal, &self.node.module().features) {
            Ok(reference) => reference,
            Err(error) if self.names == Names::Nothing && !error.is_to_the_nameless() => return None,
            Err(_) => return Some(everything),
        };
        if let Some(value) = self.instance.and_then(|instance| instance.value(&reference.subject)) {
            return Some(Resolved { value: Cow::Borrowed(value), steps: 1 });
        }
        let value = match &reference.subject {
            Subject::Variable(name) => match self.known {
                Some((known, value)) if known == name => {
                    return Some(Resolved { value: Cow::Borrowed(value), steps: 1 });
                }
                Some(_) | None => self.variable(name),
            },
            Subject::Local(name) => {
                let value =
                    self.locals.get(name).map(|value| Resolved { value: Cow::Borrowed(value), steps: 1 });
                return Some(value.unwrap_or(everything));
            }
            Subject::Module { call, key: None, output: Some(output) } if self.has_output(call, output) => {
                return Some(Resolved { value: Cow::Owned(Value::UNKNOWN), steps: 2 });
            }
            Subject::Module { call, .. } => return Some(Resolved { value: self.call(call), steps: 1 }),
            Subject::Count(name) if name == "index" && self.symbols.count => Value::Unknown(Type::Number),
            Subject::Each(name) if name == "key" && self.symbols.each => Value::Unknown(Type::String),
            Subject::Path(name) if name == "module" && !self.may_be_elsewhere() => {
                Value::string(self.node.path_from_root().clone())
            }
            Subject::Path(name) if name == "root" && !self.may_be_elsewhere() => {
                Value::string(self.node.path_root().clone())
            }
            Subject::Path(_) => Value::Unknown(Type::String),
            Subject::Terraform(name) | Subject::Tofu(name) if name == "workspace" => {
                Value::Unknown(Type::String)
            }
            Subject::Terraform(name) | Subject::Tofu(name) if name == "applying" => {
                Value::Unknown(Type::Bool).mark(Marks::EPHEMERAL)
            }
            Subject::Resource { address, .. } if address.mode == Mode::Ephemeral => {
                return Some(Resolved {
                    value: Cow::Owned(Value::UNKNOWN.mark(Marks::EPHEMERAL)),
                    ..everything
                });
            }
            Subject::Count(_)
            | Subject::Each(_)
            | Subject::Terraform(_)
            | Subject::Tofu(_)
            | Subject::Resource { .. }
            | Subject::Action { .. }
            | Subject::List { .. }
            | Subject::Itself
            | Subject::TypeName(_) => return Some(everything),
        };
        Some(Resolved { value: Cow::Owned(value), steps: 1 })
    }

    fn lacks_function(&self, name: &str) -> bool {
        lacks_function(self.node, name)
    }

    fn is_built_in_provider(&self, name: &str) -> bool {
        let required = self.node.module().required_providers.get(name);
        let is_terraform = self.node.graph().engine().product == Product::Terraform;
        is_terraform && required.is_some_and(|required| required.address.is_built_in())
    }

    fn named_file(&self, path: &str) -> Lookup {
        if self.may_be_elsewhere() {
            return Lookup { file: NamedFile::Unknown, root: None };
        }
        let lookup = self.node.named_file(path, self.work);
        if let NamedFile::File(Some(content)) = &lookup.file {
            // Other files may be read by any number of modules.
            let steps = || {
                let is_own = self.node.has_file(path);
                if is_own { self.limits().evaluation_of_file(content.len()) } else { 0 }
            };
            self.work.add_for(path, self.limits().evaluation_of_files(), steps);
        }
        lookup
    }

    fn files_below(&self, directory: &str, is_wanted: &dyn Fn(&str) -> bool) -> Option<Vec<String>> {
        if self.may_be_elsewhere() {
            return None;
        }
        self.node.files_below(directory, is_wanted, self.work)
    }

    fn ignores(&self, path: &str) -> bool {
        self.node.ignores(path)
    }
}

/// Whether a [`ModuleScope`] knows neither value nor type of a reference, as for all resources and for single
/// modules that are not in the graph.
pub(super) fn is_unknown(node: Node<'_>, traversal: &Traversal) -> bool {
    match (traversal.root.as_str(), traversal.steps.first().map(|step| &step.kind)) {
        ("module", Some(StepKind::Attribute(name))) => {
            let is_repeated = || node.module().calls.get(name).is_some_and(|call| call.is_repeated());
            node.child(name).is_none() && !is_repeated()
        }
        ("ephemeral" | "var" | "local" | "module" | "each" | "count" | "path" | "terraform" | "tofu", _) => {
            false
        }
        _ => true,
    }
}

/// Whether no provider of the module can have this function.
fn lacks_function(node: Node<'_>, name: &str) -> bool {
    let module = node.module();
    if node.graph().engine().product == Product::OpenTofu || !module.is_whole() {
        return false;
    }
    let mut parts = name.split("::").skip(1);
    let (Some(local), Some(function), None) = (parts.next(), parts.next(), parts.next()) else { return true };
    match module.required_providers.get(local) {
        None => true,
        Some(required) => required.address.is_built_in() && !value::TERRAFORM_FUNCTIONS.contains(&function),
    }
}

impl ModuleScope<'_> {
    /// Whether paths may be relative to another root module than the first one.
    fn may_be_elsewhere(&self) -> bool {
        match self.start {
            None => false,
            Some(Start::Plan(above)) => !above.shares_only_root(self.node),
            Some(Start::Test(module)) => !self.node.is_only_run_in(&module.module().directory),
        }
    }

    fn variable(&self, name: &str) -> Value {
        self.node.module().variables.get(name).map_or(Value::UNKNOWN, |variable| variable.unknown_value())
    }

    /// Whether a call leads to one instance of a module with this output.
    fn has_output(&self, call: &str, output: &str) -> bool {
        let is_single = self.node.module().calls.get(call).is_some_and(|call| !call.is_repeated());
        let child = self.node.child(call).map(Node::module).filter(|child| is_single && child.complete);
        child.is_some_and(|child| child.outputs.contains_key(output))
    }

    /// The value of a module.
    fn call(&self, name: &str) -> Cow<'_, Value> {
        let call = self.node.module().calls.get(name).filter(|call| call.enabled.is_none());
        let Some(call) = call else { return Cow::Owned(Value::UNKNOWN) };
        let instance = match self.node.child(name) {
            Some(child) if child.module().complete => child.instance(),
            None if self.node.callee(name) == Callee::Opaque => &Value::UNKNOWN,
            Some(_) | None => return Cow::Owned(Value::UNKNOWN),
        };
        if call.count.is_some() {
            Cow::Owned(Value::Unknown(Type::list(instance.ty())))
        } else if call.for_each.is_some() {
            Cow::Owned(Value::Unknown(Type::map(instance.ty())))
        } else {
            Cow::Borrowed(instance)
        }
    }
}

impl<'t> Node<'t> {
    /// The value of an instance of this module for the module that calls it: only the names of the outputs are known.
    pub(super) fn instance(self) -> &'t Value {
        self.data().instance.get_or_init(|| {
            let module = self.module();
            let elsewhere =
                module.declared_elsewhere.iter().filter_map(|address| address.strip_prefix("output."));
            let outputs = module.outputs.keys().cloned().chain(elsewhere.map(SmolStr::new));
            Value::Unknown(Type::object(outputs.map(|name| (name, value::Attribute::required(Type::Any)))))
        })
    }
}
