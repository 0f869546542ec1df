//! Strategies as `commonweal-mpi` writes them: for each state where its records begin, and records of a step and an action.

use super::ReadError;
use crate::model::{ChoiceId, Lists, StateId, Structure};
use crate::strategy::{Change, CountingStrategy, Step, Strategy};

/// The strategy in `strategy-first.bin` and `strategy.bin`, as docs/formats/distributed-results.md describes them.
pub fn read_strategy_log(model: &Structure, firsts: &[u8], records: &[u8]) -> Result<Strategy, ReadError> {
    const FIRSTS: &str = "strategy-first.bin";
    const RECORDS: &str = "strategy.bin";
    let n_states = model.n_states();
    let fault = |file: &str, message: String| {
        ReadError::archive(Some(file), message, "is this the folder that `commonweal-mpi --out` wrote for this model?")
    };
    let (firsts, cut) = firsts.as_chunks::<8>();
    if firsts.len() != n_states || !cut.is_empty() {
        return Err(fault(FIRSTS, format!("the file does not have 8 bytes for each of {n_states} states")));
    }
    let (records, cut) = records.as_chunks::<16>();
    if !cut.is_empty() {
        return Err(fault(RECORDS, "the file ends in the middle of a record".to_owned()));
    }
    let first = |state: usize| firsts.get(state).map_or(records.len() as u64, |bytes| u64::from_le_bytes(*bytes));
    let change = |state: usize, record: &[u8; 16]| {
        let (words, _) = record.as_chunks::<8>();
        let [from, action] = [words[0], words[1]].map(u64::from_le_bytes);
        let choices = model.choice_range(StateId::from(state));
        let choice = choices.start as u64 + action;
        let is_there = action < choices.len() as u64;
        is_there.then(|| (from, ChoiceId::from(choice as usize)))
    };
    let of_state = |state: usize| -> Result<Vec<Change>, ReadError> {
        let wrong = |what: &str| Err(fault(RECORDS, format!("state {state} {what}")));
        let own = first(state)..first(state + 1);
        if own.start >= own.end || own.end > records.len() as u64 || (state == 0 && own.start != 0) {
            return wrong("has no records");
        }
        let mut changes: Vec<Change> = Vec::new();
        let mut least = 0;
        for record in &records[own.start as usize..own.end as usize] {
            let Some((from, choice)) = change(state, record) else {
                return wrong("takes an action that it does not have");
            };
            if from < least || changes.is_empty() != (from == 0) {
                return wrong("has records that are not in the order of steps from 0 on");
            }
            least = from + 1;
            changes.push(Change { from: Step::from(from), choice });
        }
        Ok(changes)
    };
    let changes = (0..n_states).map(of_state).collect::<Result<Vec<_>, _>>()?;
    let changes: Lists<Change> = changes.into_iter().collect();
    Ok(Strategy::Counting(CountingStrategy::from_valid_changes(changes)))
}
