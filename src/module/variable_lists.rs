//! Lists the variables of a module that checks of its calls need. Many calls may lead to one large module, so each list is
//! made once.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use hashbrown::HashMap;
use smol_str::SmolStr;

use crate::module::Module;
use crate::module::declaration::{Condition, Variable};
use crate::syntax::Step;
use crate::value::{Type, Value};

/// A property of variables.
#[derive(Debug, Clone, Copy)]
pub enum Variables {
    /// Without a default.
    Required,
    /// Deprecated.
    Deprecated,
    /// Needed before a plan (`const`).
    Constant,
    /// Needed before a plan, and without a default.
    RequiredConstant,
    /// With validations.
    Validated,
    /// With validations that refer to other declarations.
    ValidatedTogether,
    /// With a default that says more than the rest of the declaration.
    Telling,
}

impl Variables {
    fn has(self, variable: &Variable) -> bool {
        match self {
            Self::Required => variable.default.is_none(),
            Self::Deprecated => variable.deprecated.is_some(),
            Self::Constant => variable.is_constant(),
            Self::RequiredConstant => variable.is_constant() && variable.default.is_none(),
            Self::Validated => !variable.validations.is_empty(),
            Self::ValidatedTogether => variable.is_validated_together(),
            Self::Telling => variable
                .default
                .as_ref()
                .is_some_and(|default| says_more(&default.value.clone().mark(variable.marks()), variable)),
        }
    }
}

/// The names of the variables of a module with each property, sorted.
#[derive(Debug, Clone, Default)]
pub(super) struct VariableLists([OnceLock<Box<[SmolStr]>>; 7]);

/// The names of variables whose validations refer to other declarations.
#[derive(Debug, Clone, Default)]
pub(super) struct Together {
    /// Those whose validations refer to variables only, by each of these and by themselves.
    by_variable: HashMap<SmolStr, Vec<SmolStr>>,
    /// The others.
    others: Vec<SmolStr>,
}

impl Module {
    /// The variables whose validations refer to other declarations, and may have another result if these variables do not
    /// have their defaults; sorted by name.
    pub fn validated_with<'n>(&self, variables: impl Iterator<Item = &'n SmolStr>) -> Vec<&Variable> {
        let together = self.together();
        let of_these = variables.filter_map(|name| together.by_variable.get(name)).flatten();
        let names: BTreeSet<&SmolStr> = of_these.chain(&together.others).collect();
        names.into_iter().map(|name| &*self.variables[name]).collect()
    }

    /// The variables whose validations refer to other variables, and to nothing else; sorted by name.
    pub fn validated_with_variables(&self) -> Vec<&Variable> {
        let others = &self.together().others;
        let all = self.variables_with(Variables::ValidatedTogether);
        all.filter(|variable| others.binary_search(&variable.name).is_err()).collect()
    }

    fn together(&self) -> &Together {
        let search = || {
            let mut together = Together::default();
            for variable in self.variables_with(Variables::ValidatedTogether) {
                let (mut names, mut is_of_variables) = (BTreeSet::from([&variable.name]), true);
                let parts: Vec<_> = variable.validations.iter().flat_map(Condition::parts).collect();
                for reference in parts.iter().flat_map(|part| part.expr.variables()) {
                    is_of_variables &= reference.root == "var";
                    names.extend(reference.steps.first().and_then(Step::name));
                }
                if is_of_variables {
                    for name in names {
                        together.by_variable.entry_ref(name).or_default().push(variable.name.clone());
                    }
                } else {
                    together.others.push(variable.name.clone());
                }
            }
            together
        };
        self.together.get_or_init(search)
    }

    /// The variables with a property, sorted by name.
    pub fn variables_with(&self, property: Variables) -> impl ExactSizeIterator<Item = &Variable> {
        self.names_with(property).iter().map(|name| &*self.variables[name])
    }

    /// Whether any variable has a property.
    pub fn has_variables_with(&self, property: Variables) -> bool {
        !self.names_with(property).is_empty()
    }

    /// Whether a variable has a property.
    pub fn is_variable_with(&self, property: Variables, name: &SmolStr) -> bool {
        self.names_with(property).binary_search(name).is_ok()
    }

    fn names_with(&self, property: Variables) -> &[SmolStr] {
        let search = || {
            let variables = self.variables.iter().filter(|(_, variable)| property.has(variable));
            variables.map(|(name, _)| name.clone()).collect()
        };
        self.variable_lists.0[property as usize].get_or_init(search)
    }
}

/// Whether a value says more than the declaration of its variable.
pub fn says_more(value: &Value, variable: &Variable) -> bool {
    let declared = variable.unknown_value();
    if *value == declared {
        return false;
    }
    let (marks, declared_marks) = (value.deep_marks(), declared.deep_marks());
    marks.sensitive.is_some() && declared_marks.sensitive.is_none()
        || marks.ephemeral.is_some() && declared_marks.ephemeral.is_none()
        || !matches!(value.unmarked().0, Value::Unknown(Type::Any))
}
