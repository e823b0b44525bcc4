//! Decides whether an attribute or a key that evaluation did not find is an undeclared output or instance of a child
//! module.

use smol_str::format_smolstr;

use crate::finding::{Concern, EngineRule, Finding};
use crate::graph::Node;
use crate::graph::arguments::without_files;
use crate::graph::references::help_for_counted;
use crate::graph::similar::Similar;
use crate::module::Module;
use crate::module::declaration::ModuleCall;
use crate::syntax::{Expr, ExprKind, Step, StepKind};

/// A finding for each undeclared output of a child module in an expression, and for each key of a call without keys.
pub(super) fn lacking(node: Node<'_>, expr: &Expr, similar: &Similar) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut outputs = Outputs { node, similar, findings: &mut findings };
    expr.walk(&mut |inner, _| match &inner.kind {
        ExprKind::Traversal(_) | ExprKind::Relative(_) => {
            outputs.shape(inner, Shape::Unknown);
        }
        ExprKind::Splat { source, each, .. } => {
            // The splat of a value that is not a list has one element.
            let element = match outputs.shape(source, Shape::Unknown) {
                Shape::List(call, child) | Shape::Outputs(call, child) => Shape::Outputs(call, child),
                Shape::Map(..) | Shape::Modules | Shape::Unknown => Shape::Unknown,
            };
            outputs.shape(each, element);
        }
        _ => {}
    });
    findings
}

/// The known structure of a value. The child module of a call may be in another repository.
#[derive(Debug, Clone, Copy)]
enum Shape<'t> {
    /// Unknown.
    Unknown,
    /// The object `module`.
    Modules,
    /// The outputs of one instance of a call.
    Outputs(&'t ModuleCall, Option<Node<'t>>),
    /// The instances of a call with `count`.
    List(&'t ModuleCall, Option<Node<'t>>),
    /// The instances of a call with `for_each`.
    Map(&'t ModuleCall, Option<Node<'t>>),
}

struct Outputs<'t, 'f> {
    node: Node<'t>,
    similar: &'f Similar,
    findings: &'f mut Vec<Finding>,
}

impl<'t> Outputs<'t, '_> {
    /// The structure of the value of a reference; `element` is the element of the enclosing splat.
    fn shape(&mut self, expr: &Expr, element: Shape<'t>) -> Shape<'t> {
        match &expr.kind {
            ExprKind::Traversal(traversal) if traversal.root == "module" => {
                self.steps(Shape::Modules, &traversal.steps)
            }
            ExprKind::Relative(relative) => {
                let from = self.shape(&relative.from, element);
                self.steps(from, &relative.steps)
            }
            ExprKind::Index { collection, .. } => match self.shape(collection, element) {
                Shape::List(call, child) | Shape::Map(call, child) => Shape::Outputs(call, child),
                Shape::Unknown | Shape::Modules | Shape::Outputs(..) => Shape::Unknown,
            },
            ExprKind::Element => element,
            ExprKind::Parens(inner) => self.shape(inner, element),
            _ => Shape::Unknown,
        }
    }

    fn steps(&mut self, from: Shape<'t>, steps: &[Step]) -> Shape<'t> {
        let mut shape = from;
        for step in steps {
            shape = match (shape, &step.kind) {
                (Shape::Modules, StepKind::Attribute(name)) => self.call(name),
                (Shape::Outputs(call, child), StepKind::Attribute(name)) => {
                    if let Some(child) = child.filter(|child| is_undefined(child.module(), name)) {
                        self.findings.push(undefined(call, child, name, step, self.similar));
                    }
                    Shape::Unknown
                }
                (Shape::List(call, child), StepKind::Attribute(name)) => {
                    self.findings.push(attribute_of_list(call, child, name, step));
                    Shape::Unknown
                }
                (Shape::List(call, child), StepKind::Number(_))
                | (
                    Shape::Map(call, child),
                    StepKind::Attribute(_) | StepKind::Key(_) | StepKind::Number(_) | StepKind::Word(_),
                ) => Shape::Outputs(call, child),
                (Shape::Outputs(call, _), StepKind::Key(_) | StepKind::Number(_) | StepKind::Word(_))
                    if call.count.is_none() && call.for_each.is_none() =>
                {
                    self.findings.push(key_of_single(call, step));
                    Shape::Unknown
                }
                (Shape::List(..), StepKind::Key(_) | StepKind::Word(_))
                | (
                    Shape::Modules | Shape::Outputs(..),
                    StepKind::Key(_) | StepKind::Number(_) | StepKind::Word(_),
                )
                | (Shape::Unknown, _) => Shape::Unknown,
            };
        }
        shape
    }

    /// The structure of `module.name`.
    fn call(&self, name: &str) -> Shape<'t> {
        let module = self.node.module();
        let Some(call) = module.calls.get(name) else { return Shape::Unknown };
        let child = self.node.child(name);
        if call.count.is_some() {
            Shape::List(call, child)
        } else if call.for_each.is_some() {
            Shape::Map(call, child)
        } else {
            Shape::Outputs(call, child)
        }
    }
}

fn is_undefined(child: &Module, output: &str) -> bool {
    !child.outputs.contains_key(output) && !child.may_have(&format!("output.{output}"))
}

fn undefined(call: &ModuleCall, child: Node<'_>, name: &str, step: &Step, similar: &Similar) -> Finding {
    let finding = unsupported(call, step).detail(format!("The child module has no output `{name}`."));
    let near = similar.nearest(name, child.module().outputs.values(), |output| &output.name);
    let help = if child.module().files == 0 {
        without_files(call)
    } else if child.is_installed() {
        of_installed(child.module())
    } else {
        format!("declare it in the child module: `output \"{name}\" {{ value = … }}`")
    };
    finding
        .help(help)
        .meant_at(near.map(|near| (near.origin.header(), &near.name)), "an output with a similar name")
}

/// The help for an output that an installed module does not have. Its files belong to others.
fn of_installed(child: &Module) -> String {
    const SHOWN: usize = 5;
    let names: Vec<String> = child.outputs.keys().take(SHOWN).map(|name| format!("`{name}`")).collect();
    match &names[..] {
        [] => "use a version of the module that has this output".to_owned(),
        names if child.outputs.len() > SHOWN => {
            format!("use one of its {} outputs, such as {}", child.outputs.len(), names.join(", "))
        }
        [only] => format!("use its only output, {only}"),
        names => format!("use one of its outputs: {}", names.join(", ")),
    }
}

fn attribute_of_list(call: &ModuleCall, child: Option<Node<'_>>, name: &str, step: &Step) -> Finding {
    let finding = unsupported(call, step).detail(format!(
        "`module.{}` has `count`, so it is a list, and only its instances have outputs.",
        call.name
    ));
    match child.and_then(|child| child.module().outputs.get(name)) {
        Some(output) => {
            let address = format_smolstr!("module.{}", call.name);
            let help =
                call.count.as_ref().map(|count| help_for_counted(&address, count, "0", Some(&output.name)));
            finding.related(output.origin.header(), "the output is declared here").help_if(help)
        }
        None => finding.help(format!("name an instance: `module.{}[0]`", call.name)),
    }
}

fn key_of_single(call: &ModuleCall, step: &Step) -> Finding {
    Finding::language(EngineRule::InvalidReference, "Invalid index")
        .detail(format!(
            "`module.{}` has neither `count` nor `for_each`, so it has no instances with keys.",
            call.name
        ))
        .at(step.span)
        .help("remove the key")
        .related(call.origin.header(), "the module is called here")
}

fn unsupported(call: &ModuleCall, step: &Step) -> Finding {
    let output = match &step.kind {
        StepKind::Attribute(name) => format_smolstr!("module.{}.{name}", call.name),
        StepKind::Key(_) | StepKind::Number(_) | StepKind::Word(_) => format_smolstr!("module.{}", call.name),
    };
    Finding::language(EngineRule::UndefinedModuleOutput, "Unsupported attribute")
        .at(step.span)
        .concerns(Concern::Name(output))
        .related(call.origin.header(), "the module is called here")
}
