//! The inputs that each output of a module depends on.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::components::components;
use super::vertex::Vertex;

/// An input that a module gets from its callers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Need {
    /// The value of a variable.
    Variable(SmolStr),
    /// A provider configuration, by its name in the module.
    Provider(SmolStr),
}

/// The inputs that a module needs.
#[derive(Debug, Clone, Default)]
pub(super) struct Needs {
    all: Vec<Need>,
    /// The inputs of each output, as numbers.
    outputs: BTreeMap<SmolStr, Bits>,
}

impl Needs {
    /// The needs of a module with these dependencies.
    pub(super) fn of(vertices: &[Vertex<'_>], edges: &[Vec<usize>]) -> Self {
        let mut all = Vec::new();
        let mut own: Vec<Option<usize>> = vec![None; vertices.len()];
        for (number, vertex) in vertices.iter().enumerate() {
            let need = match vertex {
                Vertex::Variable(name) => Need::Variable((*name).clone()),
                Vertex::Inherited(name) => Need::Provider(name.clone()),
                Vertex::Local(_)
                | Vertex::Resource(_)
                | Vertex::Provider(_)
                | Vertex::Output(_)
                | Vertex::Check(_)
                | Vertex::Action(..)
                | Vertex::Instances(_)
                | Vertex::Argument(..)
                | Vertex::Result(..)
                | Vertex::Everything(_) => continue,
            };
            own[number] = Some(all.len());
            all.push(need);
        }
        let mut bits = vec![Bits::default(); vertices.len()];
        // A component comes after all components that it leads to, so one pass is sufficient.
        for component in components(edges) {
            let mut together = Bits::default();
            for vertex in &component {
                if let Some(need) = own[*vertex] {
                    together.set(need);
                }
                for next in &edges[*vertex] {
                    together.add(&bits[*next]);
                }
            }
            for vertex in component {
                bits[vertex] = together.clone();
            }
        }
        let outputs = vertices
            .iter()
            .zip(bits)
            .filter_map(|(vertex, bits)| match vertex {
                Vertex::Output(name) => Some(((*name).clone(), bits)),
                _ => None,
            })
            .collect();
        Self { all, outputs }
    }

    /// All inputs that any part of the module needs.
    pub(super) fn of_all(&self) -> Vec<&Need> {
        self.all.iter().collect()
    }

    /// The inputs that an output needs.
    pub(super) fn of_output(&self, output: &str) -> Vec<&Need> {
        let Some(bits) = self.outputs.get(output) else { return Vec::new() };
        self.all.iter().enumerate().filter(|(number, _)| bits.has(*number)).map(|(_, need)| need).collect()
    }
}

/// A set of small numbers.
#[derive(Debug, Clone, Default)]
struct Bits(Vec<u64>);

impl Bits {
    fn set(&mut self, number: usize) {
        let word = number / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (number % 64);
    }

    fn has(&self, number: usize) -> bool {
        self.0.get(number / 64).is_some_and(|word| word & (1 << (number % 64)) != 0)
    }

    fn add(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }
}
