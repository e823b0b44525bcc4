//! Decides whether the evaluation of an expression may fail in a plan.

mod function_call;
mod null;

pub(crate) use null::contains_null;

use super::accepted_values;
use super::values::Values;
use crate::graph::Node;
use crate::graph::references::symbols::PATHS;
use crate::module::address::{InstanceKey, ResourceAddress, Subject, reference};
use crate::module::declaration::{Repeated, Variable};
use crate::syntax::{
    BinaryOperator, Expr, ExprKind, ObjectItem, ObjectKey, Part, Step, StepKind, Traversal, UnaryOperator,
    alike,
};
use crate::value::{self, Type, Value};

impl Values<'_> {
    /// Whether the engine can certainly evaluate an expression without an error, also with values that are known only
    /// in a plan. Attributes of resources count as present.
    pub(crate) fn cannot_fail(&self, expr: &Expr) -> bool {
        let is_sound = match &expr.kind {
            ExprKind::Null | ExprKind::Bool(_) | ExprKind::Number(_) => true,
            ExprKind::Template(template) => template.parts.iter().all(|part| match part {
                Part::Literal { .. } => true,
                Part::Interpolation(inner) => self.is_text(inner),
                Part::If(_) | Part::For(_) => false,
            }),
            ExprKind::Traversal(traversal) => self.is_found(traversal),
            ExprKind::Parens(inner) => self.cannot_fail(inner),
            ExprKind::Tuple(items) => items.iter().all(|item| self.cannot_fail(item)),
            ExprKind::Object(items) => items.iter().all(|item| {
                let has_key = match &item.key {
                    ObjectKey::Name(..) => true,
                    ObjectKey::Expr(key) => match &key.kind {
                        ExprKind::Template(_) | ExprKind::Parens(_) => self.is_text(key),
                        _ => self.of(key).as_str().is_some(),
                    },
                };
                has_key && self.cannot_fail(&item.value)
            }),
            ExprKind::Call(call) => self.has_result(call),
            ExprKind::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                self.is_certain_condition(condition)
                    && self.cannot_fail_if(condition, yes)
                    && self.cannot_fail(no)
                    && self.have_one_type(yes, no)
            }
            ExprKind::Binary(
                BinaryOperator::Add | BinaryOperator::Subtract | BinaryOperator::Multiply,
                operands,
            ) => operands.iter().all(|operand| self.is_number(operand)),
            ExprKind::Binary(..) | ExprKind::Unary(..) => self.is_certain_condition(expr),
            _ => false,
        };
        is_sound || self.of(expr).is_wholly_known()
    }

    /// Whether the evaluation of an expression cannot fail if a condition is true.
    fn cannot_fail_if(&self, condition: &Expr, expr: &Expr) -> bool {
        self.assumed.borrow_mut().push(condition.clone());
        let cannot_fail = self.cannot_fail(expr);
        self.assumed.borrow_mut().pop();
        cannot_fail
    }

    /// Whether an expression is certainly `true` or `false`, and not null.
    fn is_certain_condition(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Bool(_) => true,
            ExprKind::Parens(inner) | ExprKind::Unary(UnaryOperator::Not, inner) => {
                self.is_certain_condition(inner)
            }
            ExprKind::Binary(BinaryOperator::Equal | BinaryOperator::NotEqual, operands) => {
                operands.iter().all(|operand| self.cannot_fail(operand))
            }
            ExprKind::Binary(BinaryOperator::And | BinaryOperator::Or, operands) => {
                operands.iter().all(|operand| self.is_certain_condition(operand))
            }
            ExprKind::Binary(
                BinaryOperator::Greater
                | BinaryOperator::GreaterOrEqual
                | BinaryOperator::Less
                | BinaryOperator::LessOrEqual,
                operands,
            ) => operands.iter().all(|operand| self.is_number(operand)),
            ExprKind::Call(_) | ExprKind::Traversal(_) => {
                self.of(expr).ty() == Type::Bool && self.cannot_fail(expr) && !self.may_be_null(expr, 0)
            }
            _ => false,
        }
    }

    /// Whether an expression is certainly a number, and not null.
    fn is_number(&self, expr: &Expr) -> bool {
        self.of(expr).ty() == Type::Number && self.cannot_fail(expr) && !self.may_be_null(expr, 0)
    }

    /// Whether an expression is certainly text, or something that is converted to text.
    fn is_text(&self, expr: &Expr) -> bool {
        is_primitive(&self.type_of(expr)) && self.cannot_fail(expr) && !self.may_be_null(expr, 0)
    }

    /// The type of an expression, as far as it follows from its parts.
    pub(crate) fn type_of(&self, expr: &Expr) -> Type {
        let ty = self.of(expr).ty();
        if ty != Type::Any {
            return ty;
        }
        match &expr.kind {
            ExprKind::Call(call) if call.name == "concat" => {
                let elements: Option<Vec<Vec<Type>>> =
                    call.arguments.iter().map(|list| elements(&self.type_of(list))).collect();
                elements.map_or(Type::Any, |elements| match &elements.concat()[..] {
                    [first, others @ ..] if others.iter().all(|other| other == first) => {
                        Type::list(first.clone())
                    }
                    _ => Type::Any,
                })
            }
            // The key of an item is not known.
            ExprKind::Object(items) => {
                let types: Vec<Type> = items.iter().map(|item| self.type_of(&item.value)).collect();
                match &types[..] {
                    [first, others @ ..] if others.iter().all(|other| other == first) => {
                        Type::map(first.clone())
                    }
                    _ => Type::Any,
                }
            }
            _ if self.is_identifier(expr, 0) => Type::String,
            _ => Type::Any,
        }
    }

    /// Whether two results of a condition have a type in common.
    fn have_one_type(&self, yes: &Expr, no: &Expr) -> bool {
        let is_null = |expr: &Expr| matches!(expr.kind, ExprKind::Null);
        let (yes, no) = match (is_null(yes), is_null(no)) {
            (false, false) => (self.type_of(yes), self.type_of(no)),
            _ => return true,
        };
        let is_text = |ty: &Type| *ty == Type::String;
        !yes.has_any() && yes == no
            || is_primitive(&yes) && is_primitive(&no) && (is_text(&yes) || is_text(&no))
            || are_of_one_type(elements(&yes).zip(elements(&no)))
            || are_of_one_type(attributes(&yes).zip(attributes(&no)))
    }

    /// Whether an expression is text of a resource, possibly behind names: its `id`, `arn` or `name`, which providers
    /// use for text, or an argument that the resource sets to text.
    pub(crate) fn is_identifier(&self, expr: &Expr, depth: usize) -> bool {
        let is_text_or_null = |expr: &Expr| {
            matches!(expr.kind, ExprKind::Null)
                || is_primitive(&self.of(expr).ty())
                || self.is_identifier(expr, depth + 1)
        };
        let traversal = match &expr.kind {
            ExprKind::Parens(inner) => return self.is_identifier(inner, depth),
            ExprKind::Call(call) if call.name == "try" && depth < 2 => {
                return !call.arguments.is_empty() && call.arguments.iter().all(is_text_or_null);
            }
            ExprKind::Conditional(parts) if depth < 2 => return parts[1..].iter().all(is_text_or_null),
            ExprKind::Traversal(traversal) if depth < DEEPEST => traversal,
            _ => return false,
        };
        let module = self.node.module();
        let Ok(reference) = reference(traversal, &module.features) else { return false };
        match (&reference.subject, reference.remaining) {
            (Subject::Resource { .. }, [Step { kind: StepKind::Attribute(name), .. }])
                if ["arn", "id", "name"].contains(&name.as_str()) =>
            {
                true
            }
            (Subject::Resource { address, .. }, steps) => {
                let argument = argument(self.node, address, steps);
                argument.is_some_and(|expr| {
                    is_primitive(&self.of(&expr).ty()) && !self.may_be_null(&expr, depth + 1)
                        || self.is_identifier(&expr, depth + 1)
                })
            }
            (Subject::Local(name), []) => module
                .locals
                .get(name.as_str())
                .is_some_and(|local| self.is_identifier(&local.attribute.expr, depth + 1)),
            (Subject::Module { call, output: Some(output), .. }, []) => {
                let child = self.node.child(call);
                child.is_some_and(|child| {
                    let value = child.module().outputs.get(output).and_then(|output| output.value.as_ref());
                    value.is_some_and(|value| {
                        child.values_within(&self.work).is_identifier(&value.expr, depth + 1)
                    })
                })
            }
            _ => false,
        }
    }

    /// Whether a variable of a child module certainly accepts the value of an expression.
    pub(crate) fn is_accepted(&self, expr: &Expr, variable: &Variable, child: Node<'_>) -> bool {
        let (value, ty) = (self.of(expr), self.type_of(expr));
        let type_of_variable =
            variable.constraint.as_ref().map_or(&Type::Any, |constraint| &constraint.value.ty);
        let is_of_type = *type_of_variable == Type::Any
            || *type_of_variable == Type::String && is_primitive(&ty)
            || *type_of_variable == ty && !ty.has_any()
            || matches!(type_of_variable, Type::List(element) | Type::Set(element) if **element == Type::String)
                && elements(&ty).is_some_and(|elements| elements.iter().all(is_primitive))
            || value.is_wholly_known();
        is_of_type
            && child.values_within(&self.work).validate(&value, variable)
            && (value.is_wholly_known() || !variable.refuses_null())
            && accepted_values::argument(&value, expr, variable).is_none()
    }

    /// Whether a resource or module call certainly has an instance with this key.
    fn has_instance(&self, repeated: Repeated<'_>, is_repeated: bool, key: Option<&InstanceKey>) -> bool {
        match key {
            None => !is_repeated,
            Some(InstanceKey::Number(index)) => repeated.0.is_some_and(|count| {
                let Value::Number(count) = self.of(self.selected(&count.expr)) else { return false };
                count.index().is_some_and(|count| usize::try_from(*index).is_ok_and(|index| index < count))
            }),
            Some(InstanceKey::Text(_)) => self.have_instance(repeated, key) == Some(true),
        }
    }

    /// The branch that a condition selects, if it is one that is true.
    fn selected<'e>(&self, expr: &'e Expr) -> &'e Expr {
        match &expr.kind {
            ExprKind::Parens(inner) => self.selected(inner),
            ExprKind::Conditional(parts)
                if self.assumed.borrow().iter().any(|assumed| alike(assumed, &parts[0])) =>
            {
                &parts[1]
            }
            _ => expr,
        }
    }

    /// Whether a reference has no steps that may fail.
    fn is_found(&self, traversal: &Traversal) -> bool {
        let module = self.node.module();
        let Ok(reference) = reference(traversal, &module.features) else { return false };
        match (&reference.subject, reference.remaining) {
            (Subject::Variable(name), []) => module.variables.contains_key(name),
            // A local value in a dependency cycle has no value.
            (Subject::Local(name), []) => self.locals.get(name).is_some(),
            (Subject::Path(name), []) => PATHS.contains(&name.as_str()),
            (Subject::Variable(name), steps) => module.variables.get(name).is_some_and(|variable| {
                let is_null = variable.default.as_ref().is_some_and(|default| default.value.is_null());
                let of_type = variable.constraint.as_ref().map(|constraint| &constraint.value.ty);
                !is_null && of_type.is_some_and(|ty| attribute(ty, steps).is_some())
            }),
            (Subject::Module { call, key, output: Some(output) }, []) => {
                let has_instance = module
                    .calls
                    .get(call)
                    .is_some_and(|call| self.has_instance(call.repeated(), call.is_repeated(), key.as_ref()));
                let child = self.node.child(call);
                has_instance && child.is_some_and(|child| child.module().outputs.contains_key(output))
            }
            (Subject::Resource { address, key }, steps) => {
                module.resources.get(address).is_some_and(|resource| {
                    self.has_instance(resource.repeated(), resource.is_repeated(), key.as_ref())
                }) && (matches!(steps, [Step { kind: StepKind::Attribute(_), .. }])
                    || argument(self.node, address, steps).is_some())
            }
            _ => false,
        }
    }
}

/// The expression of an argument of a resource that steps lead to through object constructors.
fn argument(node: Node<'_>, address: &ResourceAddress, steps: &[Step]) -> Option<Expr> {
    let (Step { kind: StepKind::Attribute(name), .. }, steps) = steps.split_first()? else { return None };
    let resource = node.module().resources.get(address)?;
    let arguments = resource.config.just_attributes(&mut Vec::new());
    let argument = arguments.iter().find(|argument| argument.name == *name)?;
    let mut expr = &argument.expr;
    for step in steps {
        let (ExprKind::Object(items), StepKind::Attribute(name)) = (&expr.kind, &step.kind) else {
            return None;
        };
        let is_named = |item: &&ObjectItem| matches!(&item.key, ObjectKey::Name(key, _) if key == name);
        expr = &items.iter().find(is_named)?.value;
    }
    Some(expr.clone())
}

/// The attribute of an object type that steps lead to, if none of the objects on the way may be null.
fn attribute<'t>(ty: &'t Type, steps: &[Step]) -> Option<&'t value::Attribute> {
    let (Step { kind: StepKind::Attribute(name), .. }, steps) = steps.split_first()? else { return None };
    let Type::Object(attributes) = ty else { return None };
    let found = attributes.get(name)?;
    if steps.is_empty() { Some(found) } else { attribute(&found.ty, steps).filter(|_| !found.optional) }
}

/// Whether all elements of two collections have the same primitive type.
fn are_of_one_type(elements: Option<(Vec<Type>, Vec<Type>)>) -> bool {
    elements.is_some_and(|(some, others)| {
        let mut all = some.iter().chain(&others);
        all.next().is_none_or(|first| is_primitive(first) && all.all(|other| other == first))
    })
}

/// The types of the elements of a map, or of the attributes of an object.
fn attributes(ty: &Type) -> Option<Vec<Type>> {
    match ty {
        Type::Map(element) => Some(vec![(**element).clone()]),
        Type::Object(attributes) => Some(attributes.values().map(|attribute| attribute.ty.clone()).collect()),
        _ => None,
    }
}

/// The types of the elements of a list, set or tuple.
fn elements(ty: &Type) -> Option<Vec<Type>> {
    match ty {
        Type::List(element) | Type::Set(element) => Some(vec![(**element).clone()]),
        Type::Tuple(elements) => Some((**elements).clone()),
        _ => None,
    }
}

/// References are followed to this depth.
const DEEPEST: usize = 8;

fn is_mapping(ty: &Type) -> bool {
    matches!(ty, Type::Map(_) | Type::Object(_))
}

fn is_primitive(ty: &Type) -> bool {
    matches!(ty, Type::String | Type::Number | Type::Bool)
}
