//! Strongly connected components of a graph (Tarjan's algorithm).

/// Returns the components of a graph, in which `edges` has the successors of each vertex. A component comes after all
/// that it leads to, and its vertices are sorted. The search is not recursive, because a chain of references can be as
/// long as a file.
pub(in crate::graph) fn components(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut search = Search {
        edges,
        index: vec![UNSEEN; edges.len()],
        low: vec![0; edges.len()],
        open: vec![false; edges.len()],
        stack: Vec::new(),
        next: 0,
        found: Vec::new(),
    };
    for vertex in 0..edges.len() {
        if search.index[vertex] == UNSEEN {
            search.from(vertex);
        }
    }
    search.found
}

const UNSEEN: usize = usize::MAX;

/// The state of Tarjan's algorithm.
struct Search<'e> {
    edges: &'e [Vec<usize>],
    /// The order of discovery of each vertex.
    index: Vec<usize>,
    /// The earliest vertex that is known to be in the same component.
    low: Vec<usize>,
    /// Whether the component of the vertex is incomplete.
    open: Vec<bool>,
    stack: Vec<usize>,
    next: usize,
    found: Vec<Vec<usize>>,
}

impl Search<'_> {
    fn from(&mut self, start: usize) {
        // The current path: each vertex with the index of its next edge.
        let mut way = vec![(start, 0)];
        self.enter(start);
        while let Some((vertex, edge)) = way.last_mut() {
            let vertex = *vertex;
            if let Some(next) = self.edges[vertex].get(*edge).copied() {
                *edge += 1;
                if self.index[next] == UNSEEN {
                    self.enter(next);
                    way.push((next, 0));
                } else if self.open[next] {
                    self.low[vertex] = self.low[vertex].min(self.index[next]);
                }
                continue;
            }
            way.pop();
            if let Some((before, _)) = way.last() {
                self.low[*before] = self.low[*before].min(self.low[vertex]);
            }
            if self.low[vertex] == self.index[vertex] {
                self.close(vertex);
            }
        }
    }

    fn enter(&mut self, vertex: usize) {
        self.index[vertex] = self.next;
        self.low[vertex] = self.next;
        self.next += 1;
        self.open[vertex] = true;
        self.stack.push(vertex);
    }

    /// Removes a complete component from the stack.
    fn close(&mut self, first: usize) {
        let start = self.stack.iter().rposition(|vertex| *vertex == first);
        let mut component = self.stack.split_off(start.expect("an open vertex is on the stack"));
        for vertex in &component {
            self.open[*vertex] = false;
        }
        component.sort_unstable();
        self.found.push(component);
    }
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn a_component_stands_behind_what_it_leads_to() {
        let edges = vec![vec![1], vec![2, 3], vec![0], vec![4], vec![]];
        assert_eq!(components(&edges), [vec![4], vec![3], vec![0, 1, 2]]);
    }

    #[test]
    fn a_long_chain_is_no_recursion() {
        let edges: Vec<Vec<usize>> = (0..200_000).map(|vertex| vec![(vertex + 1) % 200_000]).collect();
        assert_eq!(components(&edges).len(), 1);
    }
}
