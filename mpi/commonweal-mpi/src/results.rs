//! Results of all states as binary arrays, which all ranks write together. `docs/formats/distributed-results.md` describes them.

use anyhow::Context;
use commonweal::Answer;
use commonweal::internals::model::{Mdp, PrincipalId, StateId};
use commonweal::internals::number::Enclosure;
use petsc_shim::Job;
use std::path::Path;

/// Makes the folder, once.
pub fn make_folder(job: &Job, folder: &Path) -> anyhow::Result<()> {
    if job.rank() == 0 {
        std::fs::create_dir_all(folder).with_context(|| format!("--out {}", folder.display()))?;
    }
    Ok(())
}

/// Writes what the answer says of the own states.
pub fn write(job: &Job, folder: &Path, model: &Mdp<f64>, answer: &Answer) {
    let array = |name: &str, bytes: Vec<u8>| {
        let offset = job.before(bytes.len() as u64);
        job.write_at(&folder.join(name), offset, &bytes);
    };
    array("welfare.bin", model.states().flat_map(|state| ends(answer.welfare(state).enclosure)).collect());
    let of_state = |state: StateId| {
        (0..model.n_principals()).flat_map(move |p| ends(answer.payoff(PrincipalId::from(p), state).enclosure))
    };
    array("payoffs.bin", model.states().flat_map(of_state).collect());
    // What each state does from which step on, and where that begins.
    let changes = |state: StateId| answer.strategy().changes(state);
    let n_own: u64 = model.states().map(|state| changes(state).len() as u64).sum();
    let mut first = job.before(n_own);
    let mut firsts = Vec::with_capacity(8 * model.n_states());
    let mut records = Vec::with_capacity(16 * n_own as usize);
    for state in model.states() {
        firsts.extend(first.to_le_bytes());
        first += changes(state).len() as u64;
        let begin = model.choices(state).next().expect("a state has a choice").index();
        for change in changes(state) {
            let step = u64::try_from(&change.from).expect("a certified answer has steps below 2^64");
            records.extend(step.to_le_bytes());
            records.extend(((change.choice.index() - begin) as u64).to_le_bytes());
        }
    }
    array("strategy-first.bin", firsts);
    array("strategy.bin", records);
}

fn ends(enclosure: Enclosure) -> impl Iterator<Item = u8> {
    [enclosure.lower(), enclosure.upper()].into_iter().flat_map(f64::to_le_bytes)
}
