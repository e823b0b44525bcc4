//! The parts of a compound type.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::slice;
use std::sync::Arc;

use smol_str::SmolStr;

use super::{Attribute, Type};

/// The element types or attributes of a type, and facts about them that would otherwise take a walk each time.
#[derive(Debug)]
pub struct Compound<T>(Arc<Shared<T>>);

#[derive(Debug)]
struct Shared<T> {
    content: T,
    facts: Facts,
    /// The same with all attributes required, at every depth, if one is optional.
    required: Option<Compound<T>>,
}

/// What a type needs to know of its parts at every depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Facts {
    /// The number of types when written out, even if they share memory.
    pub nodes: usize,
    /// The levels of types in one another; 1 without parts.
    pub depth: usize,
    /// Whether one of them is [`Type::Any`].
    pub has_any: bool,
    /// Whether one of them is an object type with an optional attribute.
    pub has_optional: bool,
}

impl Facts {
    /// Of a type without parts, such as `string`.
    pub(super) const PRIMITIVE: Self = Self { nodes: 1, depth: 1, has_any: false, has_optional: false };
    pub(super) const ANY: Self = Self { has_any: true, ..Self::PRIMITIVE };

    fn with(self, part: Self) -> Self {
        Self {
            nodes: self.nodes.saturating_add(part.nodes),
            depth: self.depth.max(part.depth + 1),
            has_any: self.has_any || part.has_any,
            has_optional: self.has_optional || part.has_optional,
        }
    }
}

/// What a compound type consists of.
pub trait Content {
    /// The element types or the types of the attributes.
    fn parts(&self) -> impl Iterator<Item = &Type>;

    /// The same with all attributes required, at every depth.
    fn with_required(&self) -> Self;

    /// Whether it has an optional attribute itself.
    fn has_optional(&self) -> bool {
        false
    }
}

impl Content for Type {
    fn parts(&self) -> impl Iterator<Item = &Type> {
        slice::from_ref(self).iter()
    }

    fn with_required(&self) -> Self {
        self.without_optional()
    }
}

impl Content for Vec<Type> {
    fn parts(&self) -> impl Iterator<Item = &Type> {
        self.iter()
    }

    fn with_required(&self) -> Self {
        self.iter().map(Type::without_optional).collect()
    }
}

impl Content for BTreeMap<SmolStr, Attribute> {
    fn parts(&self) -> impl Iterator<Item = &Type> {
        self.values().map(|attribute| &attribute.ty)
    }

    fn with_required(&self) -> Self {
        let each = self.iter();
        each.map(|(name, attribute)| (name.clone(), Attribute::required(attribute.ty.without_optional())))
            .collect()
    }

    fn has_optional(&self) -> bool {
        self.values().any(|attribute| attribute.optional)
    }
}

impl<T: Content> Compound<T> {
    pub(super) fn new(content: T) -> Self {
        let own = Facts { has_optional: content.has_optional(), ..Facts::PRIMITIVE };
        let facts = content.parts().map(Type::facts).fold(own, Facts::with);
        let required = facts.has_optional.then(|| Self::new(content.with_required()));
        Self(Arc::new(Shared { content, facts, required }))
    }
}

impl<T> Compound<T> {
    pub(super) fn facts(&self) -> Facts {
        self.0.facts
    }

    /// The same with all attributes required, at every depth.
    pub(super) fn without_optional(&self) -> Self {
        self.0.required.as_ref().unwrap_or(self).clone()
    }
}

impl<T> Clone for Compound<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Deref for Compound<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.content
    }
}

impl<T: PartialEq> PartialEq for Compound<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || (self.0.facts == other.0.facts && **self == **other)
    }
}

impl<T: Eq> Eq for Compound<T> {}

impl<T: Ord> PartialOrd for Compound<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Ord> Ord for Compound<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        if Arc::ptr_eq(&self.0, &other.0) { Ordering::Equal } else { (**self).cmp(&**other) }
    }
}

impl<T: Hash> Hash for Compound<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}
