//! The order in which sweeps visit the states: successors first, as far as cycles allow.
//!
//! Strongly connected components come in reverse topological order (Tarjan), so that without cycles one sweep is the
//! solution. Within a component the states that a breadth-first search reaches last come first: most edges lead to states
//! already swept, and unlike in depth-first order a state seldom waits for the one just before it.
//!
//! Cost: two visits of every entry.

use super::rows::OffDiagonals;
use crate::strategy::components;

/// The states, each after its successors except along cycles.
pub(super) fn successors_first<F>(matrix: &OffDiagonals<F>) -> Vec<u32> {
    let successors = |state: u32| &matrix.column[matrix.first[state as usize]..matrix.first[state as usize + 1]];
    let component = components(matrix.row_sum.len(), |state, place| {
        let row = &matrix.column[matrix.first[state]..matrix.first[state + 1]];
        row.get(place).map(|&successor| successor as usize)
    });
    let n = component.len();
    let mut order: Vec<u32> = Vec::with_capacity(n);
    // Components are numbered in the order wanted; the first state of each is where its search begins.
    let mut by_component: Vec<u32> = (0..n as u32).collect();
    by_component.sort_by_key(|&state| component[state as usize]);
    let mut is_reached = vec![false; n];
    for &root in &by_component {
        let start = order.len();
        if !std::mem::replace(&mut is_reached[root as usize], true) {
            order.push(root);
        }
        let mut next = start;
        while next < order.len() {
            for &successor in successors(order[next]) {
                let is_inside = component[successor as usize] == component[root as usize];
                if is_inside && !std::mem::replace(&mut is_reached[successor as usize], true) {
                    order.push(successor);
                }
            }
            next += 1;
        }
        order[start..].reverse();
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(successors: &[&[u32]]) -> OffDiagonals<f64> {
        let mut first = vec![0];
        first.extend(successors.iter().scan(0, |sum, row| {
            *sum += row.len();
            Some(*sum)
        }));
        let column = successors.concat();
        OffDiagonals { first, entry: vec![-1.0; column.len()], column, row_sum: vec![1.0; successors.len()] }
    }

    #[test]
    fn without_cycles_every_state_follows_its_successors() {
        let edges: [&[u32]; 6] = [&[3, 1], &[2], &[5], &[2, 4], &[5], &[]];
        let order = successors_first(&graph(&edges));
        let place = |state: u32| order.iter().position(|&other| other == state).unwrap();
        for (state, successors) in edges.iter().enumerate() {
            assert!(successors.iter().all(|&successor| place(successor) < place(state as u32)), "{order:?}");
        }
    }

    #[test]
    fn cycles_stay_together_and_come_after_what_they_lead_to() {
        // 0 → 1 → 2 → 0, 2 → 3, 3 ↔ 4, and 5 leads to both cycles.
        let order = successors_first(&graph(&[&[1], &[2], &[0, 3], &[4], &[3], &[1, 3]]));
        assert_eq!(order.len(), 6);
        assert!(order[..2].contains(&3) && order[..2].contains(&4));
        assert_eq!(order[2..5].iter().sum::<u32>(), 3);
        assert_eq!(order[5], 5);
    }

    #[test]
    fn on_a_ring_only_one_edge_leads_to_a_state_not_yet_swept() {
        let ring: Vec<Vec<u32>> = (0..50).map(|state| vec![(state + 1) % 50]).collect();
        let ring: Vec<&[u32]> = ring.iter().map(Vec::as_slice).collect();
        let order = successors_first(&graph(&ring));
        let backward = order.windows(2).filter(|pair| pair[1] == (pair[0] + 49) % 50).count();
        assert_eq!(backward, 49);
    }
}
