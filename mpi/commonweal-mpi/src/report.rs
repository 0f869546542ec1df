//! The answer from the start, printed by the rank that owns it.

use anyhow::Context;
use commonweal::documents::{Document, Solution};
use commonweal::internals::model::{Mdp, PrincipalId, StateId};
use commonweal::{Answer, Claim, Value};
use std::io::Write;

/// The document of `commonweal solve --json`.
pub fn json(model: &Mdp<f64>, answer: &Answer, own_best: &[Value], name: &str) -> anyhow::Result<()> {
    print(&Solution::of_start(model.structure(), answer, own_best, name).to_json())
}

/// The same with all states.
pub fn json_of_all(model: &Mdp<f64>, answer: &Answer, own_best: &[Value]) -> anyhow::Result<()> {
    let states: Vec<StateId> = model.states().collect();
    print(&Solution::new(model.structure(), answer, own_best, &states, false).to_json())
}

/// The bounds, what to do now, and who gets what.
pub fn text(model: &Mdp<f64>, answer: &Answer, name: &str) -> anyhow::Result<()> {
    let start = model.start();
    let welfare = answer.welfare(start).enclosure;
    let now = answer.strategy().changes(start)[0].choice;
    let mut lines = Vec::new();
    if let Claim::Stopped(reason) = answer.claim() {
        lines.push(format!("Stopped: {reason}."));
    }
    lines.push(format!("Welfare from {name}: at least {:?}, at most {:?}", welfare.lower(), welfare.upper()));
    lines.push(format!("What to do now, in {name}: {}", model.action_name(now)));
    for (p, principal) in model.principals().iter().enumerate() {
        let payoff = answer.payoff(PrincipalId::from(p), start).enclosure;
        lines.push(format!("  {} gets at least {:?}, at most {:?}", principal.name, payoff.lower(), payoff.upper()));
    }
    lines.push(format!("Horizon {}, memory {}.", answer.horizon(), answer.memory(start)));
    print(&(lines.join("\n") + "\n"))
}

fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).context("standard output")
}
