//! The expressions of a module that the engine evaluates in validation, each with its block and the symbols that are
//! valid there.

use std::cell::LazyCell;
use std::fmt;
use std::rc::Rc;

use smol_str::SmolStr;

use crate::finding::{Finding, Severity, Stage};
use crate::graph::builtin::Arguments;
use crate::graph::{Node, arguments, builtin, imports};
use crate::module::Module;
use crate::module::config::Config;
use crate::module::declaration::{
    Action, Check, Condition, Dependency, Import, Local, ModuleCall, Output, ProviderConfiguration, Repeated,
    Resource, Variable,
};
use crate::syntax::{Attribute, Expr, HasElements, Iteration};
use crate::text::Span;
use crate::value::Budget;

/// Follows the detail of a mistake in a provider block that perhaps nothing uses.
const UNKNOWN_USE: &str = " It is unknown whether anything uses this provider block. If nothing does, Terraform and \
OpenTofu ignore it.";

/// The collections of `dynamic` blocks are mostly constants. Each walk over a module evaluates them, in this part of the
/// steps of the module.
const PART_FOR_COLLECTIONS: usize = 16;

/// Follows the detail of a mistake in a provider block with an override.
const ONLY_PLAN_OF_MERGED: &str =
    "`validate` does not check a provider block that has an override, but `plan` does.";

/// The position of an expression.
#[derive(Debug, Clone)]
pub(in crate::graph) struct Site<'m> {
    /// The block that contains it.
    pub(in crate::graph) owner: Owner<'m>,
    /// The symbols that are valid there.
    pub(in crate::graph) symbols: Symbols,
    /// Whether it applies only when a resource is destroyed, so that it creates no dependency.
    pub(in crate::graph) on_destroy: bool,
    /// The condition that it is a part of.
    pub(in crate::graph) condition: Option<&'m Condition>,
    /// Whether the engine's error for a missing provider function is the one for an unknown name.
    pub(in crate::graph) no_namespaces: bool,
}

/// The declaration that contains an expression.
#[derive(Debug, Clone)]
pub(in crate::graph) enum Owner<'m> {
    Variable(&'m Variable),
    Local(&'m Local),
    Output(&'m Output),
    /// `count`, `for_each`, `depends_on` and so on of a module call.
    Call(&'m ModuleCall),
    /// The argument of this name in a module call.
    Argument(&'m ModuleCall, SmolStr),
    Resource(&'m Resource),
    Provider(&'m ProviderConfiguration),
    Check(&'m Check),
    Import(&'m Import),
    Action(&'m Action),
}

/// The symbols that are valid at a position.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::graph) struct Symbols {
    /// `count.index`.
    pub(in crate::graph) count: bool,
    /// `each.key` and `each.value`.
    pub(in crate::graph) each: bool,
    /// `self`.
    pub(in crate::graph) itself: bool,
}

/// An item at a site.
#[derive(Debug, Clone, Copy)]
pub(in crate::graph) enum Found<'e> {
    /// An expression, and the `dynamic` blocks around it.
    Expression(&'e Expr, Iteration<'e>),
    /// An expression with a syntax error, which is not analyzed.
    Broken(&'e Expr),
    /// An expression that only orders blocks: `for_each` beside `count`, which override files can lead to, or the content of
    /// a `dynamic` block without elements.
    Unevaluated(&'e Expr),
    /// The elements of `depends_on`.
    Dependencies(&'e [Dependency]),
}

/// Calls `visit` with every item of a module that may contain references.
pub(in crate::graph) fn for_each<'t>(node: Node<'t>, visit: &mut dyn FnMut(&Site<'t>, Found<'_>)) {
    let module = node.module();
    let values = LazyCell::new(|| {
        node.values_within(&Rc::new(Budget::of(module.evaluation_steps() / PART_FOR_COLLECTIONS)))
    });
    let has_elements = |collection: &Expr| values.have_elements(collection);
    let mut sites = Sites { visit, has_elements: &has_elements };
    if module.features.validation_refers_to_others {
        // In other releases, the loader itself checks these references.
        module.variables.values().for_each(|variable| sites.variable(variable));
    }
    module
        .locals
        .values()
        .for_each(|local| sites.argument(&Site::of(Owner::Local(local)), Some(&local.attribute)));
    module.outputs.values().for_each(|output| sites.output(output));
    module.calls.values().for_each(|call| sites.call(node, call));
    module.resources.values().for_each(|resource| sites.resource(resource));
    for provider in module.providers.values().filter(|provider| node.may_use(provider)) {
        sites.provider(module, provider);
    }
    module.checks.values().for_each(|check| sites.conditions(&Site::of(Owner::Check(check)), &check.asserts));
    module.actions.values().for_each(|action| sites.action(action));
    if !node.is_called() {
        // In a child module they are an error, or belong to the state of that module alone.
        module.imports.iter().for_each(|import| sites.import(node, import));
    }
}

impl Symbols {
    /// The symbols in the arguments of a module call. The engine does not check them before it knows the instances.
    pub(in crate::graph) const OF_ARGUMENTS: Self = Self { count: true, each: true, itself: false };

    /// The symbols in a resource. If override files lead to both `count` and `for_each`, `count` takes precedence.
    pub(in crate::graph) fn in_resource(resource: &Resource) -> Self {
        let count = resource.count.is_some();
        Self { count, each: !count && resource.for_each.is_some(), itself: false }
    }

    /// These symbols and `self`.
    pub(in crate::graph) fn with_itself(self) -> Self {
        Self { itself: true, ..self }
    }
}

impl<'m> Site<'m> {
    /// Whether the enclosing block has `count`, and whether it has only `for_each`.
    pub(super) fn repetition(&self) -> (bool, bool) {
        match &self.owner {
            Owner::Call(call) | Owner::Argument(call, _) => {
                (call.count.is_some(), call.count.is_none() && call.for_each.is_some())
            }
            _ => (self.symbols.count, self.symbols.each),
        }
    }

    /// `count` and `for_each` of the enclosing block.
    pub(in crate::graph) fn repeated(&self) -> Repeated<'m> {
        match self.owner {
            Owner::Call(call) | Owner::Argument(call, _) => call.repeated(),
            Owner::Resource(resource) => resource.repeated(),
            _ => (None, None),
        }
    }

    /// The `count` of an enclosing block that also has `for_each`. Only override files can lead to both.
    pub(super) fn count_beside_for_each(&self) -> Option<Span> {
        let (count, for_each) = self.repeated();
        count.filter(|_| for_each.is_some()).map(|count| count.span)
    }

    /// Turns errors in a provider block into warnings if nothing is known to use it: the engine ignores a block that
    /// nothing uses. `validate` takes one that has an override for an empty one.
    pub(in crate::graph) fn doubt(&self, node: Node<'_>, found: &mut [Finding]) {
        let Owner::Provider(provider) = &self.owner else { return };
        if provider.config.is_merged() {
            let is_early = |it: &&mut Finding| it.severity == Severity::Error && it.stage < Stage::Plan;
            for finding in found.iter_mut().filter(is_early) {
                finding.stage = Stage::Plan;
                finding.add_sentence(ONLY_PLAN_OF_MERGED);
            }
        }
        let errors = found.iter_mut().filter(|finding| finding.severity == Severity::Error);
        let mut errors = errors.peekable();
        if errors.peek().is_none() || node.is_known_to_use(provider) {
            return;
        }
        for finding in errors {
            finding.severity = Severity::Warning;
            finding.detail += UNKNOWN_USE;
        }
    }

    /// Whether the enclosing block can have `count` and `for_each`.
    pub(super) fn can_have_instances(&self) -> bool {
        match &self.owner {
            Owner::Call(_) | Owner::Argument(..) => true,
            Owner::Resource(resource) => resource.check.is_none(),
            _ => false,
        }
    }

    fn new(owner: Owner<'m>, symbols: Symbols) -> Self {
        Self { owner, symbols, on_destroy: false, condition: None, no_namespaces: false }
    }

    /// A position in a block without any symbols.
    pub(in crate::graph) fn of(owner: Owner<'m>) -> Self {
        Self::new(owner, Symbols::default())
    }

    /// The name of the `check` block whose conditions these are.
    pub(in crate::graph) fn check(&self) -> Option<&'m SmolStr> {
        let Owner::Check(check) = &self.owner else { return None };
        Some(&check.name)
    }

    /// The same block, without any symbols.
    pub(in crate::graph) fn without_symbols(&self) -> Self {
        Self { symbols: Symbols::default(), ..self.clone() }
    }
}

/// The address of the block.
impl fmt::Display for Site<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.owner {
            Owner::Variable(variable) => write!(f, "variable.{}", variable.name),
            Owner::Local(local) => write!(f, "local.{}", local.name),
            Owner::Output(output) => write!(f, "output.{}", output.name),
            Owner::Call(call) | Owner::Argument(call, _) => write!(f, "module.{}", call.name),
            Owner::Resource(resource) => resource.address.fmt(f),
            Owner::Provider(provider) => write!(f, "provider.{}", provider.compact()),
            Owner::Check(check) => write!(f, "check.{}", check.name),
            Owner::Import(import) => match &import.target {
                Some(target) => write!(f, "import.{target}"),
                None => f.write_str("import"),
            },
            Owner::Action(action) => write!(f, "action.{}.{}", action.kind, action.name),
        }
    }
}

struct Sites<'v, 't> {
    visit: &'v mut dyn FnMut(&Site<'t>, Found<'_>),
    has_elements: &'v HasElements<'v>,
}

impl<'t> Sites<'_, 't> {
    fn variable(&mut self, variable: &'t Variable) {
        self.conditions(&Site::of(Owner::Variable(variable)), &variable.validations);
    }

    fn output(&mut self, output: &'t Output) {
        let site = Site::of(Owner::Output(output));
        self.argument(&site, output.value.as_deref());
        self.conditions(&site, &output.preconditions);
        self.dependencies(&site, &output.depends_on);
    }

    fn call(&mut self, node: Node<'t>, call: &'t ModuleCall) {
        let site = Site::of(Owner::Call(call));
        self.argument(&site, call.enabled.as_deref());
        self.repetition(&site, call.repeated());
        self.dependencies(&site, &call.depends_on);
        let given = match node.child(&call.name) {
            Some(child) => arguments::given(call, child.module()),
            None => call.config.just_attributes(&mut Vec::new()),
        };
        for attribute in given {
            let site = Site::new(Owner::Argument(call, attribute.name.clone()), Symbols::OF_ARGUMENTS);
            self.argument(&site, Some(&attribute));
        }
    }

    fn resource(&mut self, resource: &'t Resource) {
        let outside = Site::of(Owner::Resource(resource));
        self.argument(&outside, resource.enabled.as_deref());
        self.repetition(&outside, resource.repeated());
        self.dependencies(&outside, &resource.depends_on);
        let inside = Site { symbols: Symbols::in_resource(resource), ..outside };
        let of_itself = Site { symbols: inside.symbols.with_itself(), ..inside.clone() };
        self.resource_config(&inside, resource);
        self.conditions(&inside, &resource.preconditions);
        self.conditions(&of_itself, &resource.postconditions);
        for part in builtin::parts(resource) {
            let site = Site { on_destroy: part.of.on_destroy, ..of_itself.clone() };
            match part.accepts {
                Some(arguments) => self.accepted(&site, arguments, &part.config),
                None => self.config(&site, &part.config),
            }
        }
    }

    /// Only the schema of the built-in resources is known. In all others, every expression counts.
    fn resource_config(&mut self, site: &Site<'t>, resource: &Resource) {
        match builtin::arguments(resource) {
            Some(arguments) => self.accepted(site, arguments, &resource.config),
            None => self.config(site, &resource.config),
        }
    }

    /// The engine evaluates only the expected arguments.
    fn accepted(&mut self, site: &Site<'t>, arguments: Arguments, config: &Config) {
        let content = builtin::content(arguments, config, &mut Vec::new());
        for attribute in &content.attributes {
            self.argument(site, Some(attribute));
        }
        // No nested blocks are expected, but the engine checks the references of `dynamic` blocks before it reports
        // them.
        for attribute in builtin::for_eaches(&content.blocks) {
            self.argument(site, Some(&attribute));
        }
    }

    fn provider(&mut self, module: &Module, provider: &'t ProviderConfiguration) {
        let symbols = Symbols { each: provider.for_each.is_some(), ..Symbols::default() };
        let site = Site::new(Owner::Provider(provider), symbols);
        match builtin::provider_arguments(module, provider) {
            Some(arguments) => self.accepted(&site, arguments, &provider.config),
            None => self.config(&site, &provider.config),
        }
    }

    fn action(&mut self, action: &'t Action) {
        let outside = Site::of(Owner::Action(action));
        self.repetition(&outside, (action.count.as_deref(), action.for_each.as_deref()));
        let count = action.count.is_some();
        let symbols = Symbols { count, each: !count && action.for_each.is_some(), itself: false };
        if let Some(config) = &action.config {
            self.config(&Site { symbols, ..outside }, config);
        }
    }

    fn import(&mut self, node: Node<'t>, import: &'t Import) {
        if !imports::reaches_for_each(node, import) {
            return;
        }
        let outside = Site::of(Owner::Import(import));
        self.for_each(&outside, import.for_each.as_deref());
        if !imports::reaches_id(node, import) {
            return;
        }
        let symbols = Symbols { each: import.for_each.is_some(), ..Symbols::default() };
        let inside = Site { symbols, ..outside };
        self.argument(&inside, import.id.as_deref());
        self.argument(&inside, import.identity.as_deref());
    }

    fn argument(&mut self, site: &Site<'t>, attribute: Option<&Attribute>) {
        if let Some(attribute) = attribute {
            (self.visit)(site, found(attribute, Iteration::NONE));
        }
    }

    /// If an override leads to both, the engine evaluates `count` only.
    fn repetition(&mut self, site: &Site<'t>, (count, for_each): Repeated<'_>) {
        self.argument(site, count);
        match for_each {
            Some(ignored) if count.is_some() => (self.visit)(site, Found::Unevaluated(&ignored.expr)),
            _ => self.for_each(site, for_each),
        }
    }

    fn for_each(&mut self, site: &Site<'t>, attribute: Option<&Attribute>) {
        self.argument(&Site { no_namespaces: true, ..site.clone() }, attribute);
    }

    fn conditions(&mut self, site: &Site<'t>, conditions: &'t [Condition]) {
        for condition in conditions {
            let site = Site { condition: Some(condition), no_namespaces: true, ..site.clone() };
            condition.parts().for_each(|part| self.argument(&site, Some(part)));
        }
    }

    fn dependencies(&mut self, site: &Site<'t>, dependencies: &[Dependency]) {
        (self.visit)(site, Found::Dependencies(dependencies));
    }

    fn config(&mut self, site: &Site<'t>, config: &Config) {
        config.for_each_expression_expanded(self.has_elements, &mut |expr, around| {
            let is_excluded = around.is_excluded;
            let found = if is_excluded { Found::Unevaluated(expr) } else { Found::Expression(expr, around) };
            (self.visit)(site, found);
        });
    }
}

/// The expression of an argument.
fn found<'e>(attribute: &'e Attribute, around: Iteration<'e>) -> Found<'e> {
    if attribute.is_broken {
        Found::Broken(&attribute.expr)
    } else {
        Found::Expression(&attribute.expr, around)
    }
}
