//! Strongly connected components of a graph of states.

/// Each state's component, numbered so that no edge leads to a higher number (Tarjan, without recursion). `successor(state, k)` is
/// the state to which edge k leads; `None` after the last edge.
pub(crate) fn components(n_states: usize, successor: impl Fn(usize, usize) -> Option<usize>) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let mut component = vec![NONE; n_states];
    let mut n_components = 0;
    // The order of discovery, and the earliest discovery that each state reaches within its search tree.
    let mut discovered = vec![NONE; n_states];
    let mut reaches = vec![NONE; n_states];
    let mut n_discovered = 0;
    let mut open: Vec<u32> = Vec::new();
    // The states on the way down, each with its next edge to look at.
    let mut path: Vec<(u32, u32)> = Vec::new();
    for root in 0..n_states {
        if discovered[root] == NONE {
            path.push((root as u32, 0));
        }
        while let Some(&mut (number, ref mut next)) = path.last_mut() {
            let state = number as usize;
            if discovered[state] == NONE {
                (discovered[state], reaches[state]) = (n_discovered, n_discovered);
                n_discovered += 1;
                open.push(number);
            }
            if let Some(successor) = successor(state, *next as usize) {
                if discovered[successor] == NONE {
                    // Looked at again on the way back, when its own reach is known.
                    path.push((successor as u32, 0));
                    continue;
                }
                *next += 1;
                if component[successor] == NONE {
                    reaches[state] = reaches[state].min(reaches[successor]);
                }
                continue;
            }
            path.pop();
            if reaches[state] == discovered[state] {
                while let Some(member) = open.pop() {
                    component[member as usize] = n_components;
                    if member == number {
                        break;
                    }
                }
                n_components += 1;
            }
        }
    }
    component
}
