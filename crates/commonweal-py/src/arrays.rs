//! A model from the arrays of other libraries: compressed sparse rows, one for each pair of a state and an action.
//!
//! Each array is copied once, into the model; the checks run without the interpreter's lock. Explicit zeros of a row are dropped.
//! Pairs that are not in the order of their states are sorted stably.

use crate::error::Refusal;
use commonweal::structure::{ModelArrays, NameTable, Principal, StateId};
use numpy::{PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// Column indices, as SciPy keeps them: in 32 bits where they fit.
#[derive(FromPyObject)]
pub enum Indices<'py> {
    /// 32 bits.
    Narrow(PyReadonlyArray1<'py, i32>),
    /// 64 bits.
    Wide(PyReadonlyArray1<'py, i64>),
}

/// The arrays as Python gives them.
pub struct Given<'py> {
    /// Where each row begins, and the end.
    pub indptr: PyReadonlyArray1<'py, i64>,
    /// The successors of all rows.
    pub indices: Indices<'py>,
    /// Their probabilities.
    pub data: PyReadonlyArray1<'py, f64>,
    /// The state of each row.
    pub s_indices: PyReadonlyArray1<'py, i64>,
    /// The action of each row.
    pub a_indices: PyReadonlyArray1<'py, i64>,
    /// The rewards of each principal, row by row.
    pub rewards: Vec<PyReadonlyArray1<'py, f64>>,
    /// The principals.
    pub principals: Vec<Principal>,
    /// The names of the states.
    pub states: NameTable,
    /// The names of the actions.
    pub actions: NameTable,
    /// The state in which runs start.
    pub start: usize,
}

impl Given<'_> {
    /// The model's own arrays.
    pub fn copied(self) -> Result<ModelArrays<f64>, Refusal> {
        let Given { indptr, indices, data, s_indices, a_indices, rewards, principals, states, actions, start } = self;
        let (n_states, n_actions) = (states.len(), actions.len());
        let (indptr, data) = (slice(&indptr, "indptr")?, slice(&data, "data")?);
        let (s_indices, a_indices) = (slice(&s_indices, "s_indices")?, slice(&a_indices, "a_indices")?);
        let n_rows = s_indices.len();
        let same_length = |what: &str, length: usize| {
            let refusal = || format!("{what} has {length} entries for {n_rows} pairs of a state and an action");
            if length == n_rows { Ok(()) } else { Err(Refusal::new(refusal())) }
        };
        same_length("a_indices", a_indices.len())?;
        same_length("P", indptr.len().saturating_sub(1))?;
        for (reward, principal) in rewards.iter().zip(&principals) {
            same_length(&format!("the reward of `{}`", principal.name), reward.len())?;
        }
        let n_entries = match &indices {
            Indices::Narrow(narrow) => narrow.len(),
            Indices::Wide(wide) => wide.len(),
        };
        let ends = (indptr.first().copied(), indptr.last().and_then(|&end| usize::try_from(end).ok()));
        if ends != (Some(0), Some(data.len())) || n_entries != data.len() || !indptr.is_sorted() {
            return Err(Refusal::new("P is not a matrix of compressed sparse rows: its arrays contradict each other"));
        }
        if n_states > n_rows {
            // Memory for the states is taken only if each can have a row.
            let message = format!("P has {n_states} columns, one for each state, and {n_rows} rows");
            return Err(Refusal::new(message).help("every state has at least one row, its action"));
        }
        if start >= n_states {
            return Err(Refusal::new(format!("start is {start}; the states are 0 to {}", n_states.saturating_sub(1))));
        }
        let rows = Rows { indptr, data, s_indices, a_indices };
        let order = rows.order(n_states)?;
        let (first_choice, action) = rows.choices(&order, &states, &actions, n_actions)?;
        let (first_transition, target, probability) = match &indices {
            Indices::Narrow(narrow) => rows.transitions(&order, slice(narrow, "indices")?, n_states)?,
            Indices::Wide(wide) => rows.transitions(&order, slice(wide, "indices")?, n_states)?,
        };
        let rewards: Vec<&[f64]> = rewards.iter().map(|reward| slice(reward, "a reward")).collect::<Result<_, _>>()?;
        let mut reward = Vec::with_capacity(n_rows * rewards.len());
        order.each(n_rows, |row| reward.extend(rewards.iter().map(|of_principal| of_principal[row])));
        Ok(ModelArrays {
            start: start.into(),
            principals,
            state_names: states,
            action_names: actions,
            action,
            first_choice,
            first_transition,
            target,
            probability,
            reward,
        })
    }
}

fn slice<'a, T: numpy::Element>(array: &'a PyReadonlyArray1<'_, T>, name: &str) -> Result<&'a [T], Refusal> {
    array.as_slice().map_err(|_| Refusal::new(format!("{name} is not contiguous; use numpy.ascontiguousarray")))
}

/// The rows of the matrix, with unchecked indices.
struct Rows<'a> {
    indptr: &'a [i64],
    data: &'a [f64],
    s_indices: &'a [i64],
    a_indices: &'a [i64],
}

/// The order of the rows.
enum Order {
    AsGiven,
    By(Vec<u32>),
}

impl Order {
    fn each(&self, n_rows: usize, mut take: impl FnMut(usize)) {
        match self {
            Order::AsGiven => (0..n_rows).for_each(take),
            Order::By(rows) => rows.iter().for_each(|&row| take(row as usize)),
        }
    }
}

impl Rows<'_> {
    /// The order of the states.
    fn order(&self, n_states: usize) -> Result<Order, Refusal> {
        let inside = |&state: &i64| usize::try_from(state).is_ok_and(|state| state < n_states);
        if let Some(row) = self.s_indices.iter().position(|state| !inside(state)) {
            let (state, last) = (self.s_indices[row], n_states.saturating_sub(1));
            return Err(Refusal::new(format!("s_indices[{row}] is {state}; the states are 0 to {last}")));
        }
        if self.s_indices.is_sorted() {
            return Ok(Order::AsGiven);
        }
        let n_rows = u32::try_from(self.s_indices.len());
        let n_rows = n_rows.map_err(|_| Refusal::new("more than 2^32 pairs of a state and an action"))?;
        let mut rows: Vec<u32> = (0..n_rows).collect();
        rows.sort_by_key(|&row| self.s_indices[row as usize]);
        Ok(Order::By(rows))
    }

    /// Where the choices of each state begin, and the action of each. The memory does not depend on how large the numbers of
    /// actions are.
    fn choices(
        &self,
        order: &Order,
        states: &NameTable,
        actions: &NameTable,
        n_actions: usize,
    ) -> Result<(Vec<u32>, Vec<u32>), Refusal> {
        let mut first_choice = vec![0u32; states.len() + 1];
        let mut action = Vec::with_capacity(self.a_indices.len());
        let mut refusal = None;
        order.each(self.s_indices.len(), |row| {
            let (state, given) = (self.s_indices[row], self.a_indices[row]);
            match u32::try_from(given).ok().filter(|&own| (own as usize) < n_actions) {
                None => {
                    let last = n_actions.saturating_sub(1);
                    refusal.get_or_insert_with(|| {
                        Refusal::new(format!("a_indices[{row}] is {given}; the actions are 0 to {last}"))
                    });
                }
                Some(own) => action.push(own),
            }
            first_choice[state as usize + 1] += 1;
        });
        for state in 0..states.len() {
            first_choice[state + 1] += first_choice[state];
        }
        if let Some(refusal) = refusal {
            return Err(refusal);
        }
        let mut own = Vec::new();
        for state in 0..states.len() {
            own.clear();
            own.extend_from_slice(&action[first_choice[state] as usize..first_choice[state + 1] as usize]);
            own.sort_unstable();
            if let Some(twice) = own.windows(2).find(|pair| pair[0] == pair[1]) {
                let (state, own) = (states.get(state), actions.get(twice[0] as usize));
                return Err(Refusal::new(format!("state `{state}`, action `{own}` is there twice")).help("keep one"));
            }
        }
        Ok((first_choice, action))
    }

    /// Where the transitions of each choice begin, their targets and their probabilities.
    #[allow(clippy::type_complexity, reason = "three arrays of the model")]
    fn transitions<I: Copy + TryInto<u32> + std::fmt::Display>(
        &self,
        order: &Order,
        indices: &[I],
        n_states: usize,
    ) -> Result<(Vec<u32>, Vec<StateId>, Vec<f64>), Refusal> {
        let n_entries = u32::try_from(self.data.len());
        n_entries.map_err(|_| Refusal::new("the model has more than 4294967295 transitions"))?;
        let mut first_transition = Vec::with_capacity(self.s_indices.len() + 1);
        first_transition.push(0);
        let mut target = Vec::with_capacity(self.data.len());
        let mut probability = Vec::with_capacity(self.data.len());
        let mut outside = None;
        order.each(self.s_indices.len(), |row| {
            let entries = self.indptr[row] as usize..self.indptr[row + 1] as usize;
            for (&column, &entry) in indices[entries.clone()].iter().zip(&self.data[entries]) {
                match column.try_into() {
                    Ok(column) if (column as usize) < n_states => {
                        // NaN stays, to be refused with its place.
                        if entry != 0.0 {
                            target.push(StateId::from(column as usize));
                            probability.push(entry);
                        }
                    }
                    _ => outside = outside.or(Some((row, column))),
                }
            }
            first_transition.push(target.len() as u32);
        });
        match outside {
            None => Ok((first_transition, target, probability)),
            Some((row, column)) => {
                let last = n_states.saturating_sub(1);
                Err(Refusal::new(format!("row {row} of P leads to {column}; the states are 0 to {last}")))
            }
        }
    }
}
