//! Models as DRN.

use super::body::NO_LABEL;
use crate::io::UNNAMED_ACTION;
use crate::model::{Mdp, Principal};
use crate::number::{ModelNumber, Rational};
use std::io::{self, Write};

/// A number as DRN has it.
pub trait DrnNumber: ModelNumber {
    /// What the file says its numbers are.
    const VALUE_TYPE: &'static str;

    /// Writes the number so that it is read back as it is.
    fn write(&self, out: &mut dyn Write) -> io::Result<()>;
}

impl DrnNumber for Rational {
    const VALUE_TYPE: &'static str = "rational";

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{self}")
    }
}

impl DrnNumber for f64 {
    const VALUE_TYPE: &'static str = "double";

    /// In the fewest digits that read back as the same double.
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        if *self == 0.0 || (1e-5..1e16).contains(&self.abs()) { write!(out, "{self}") } else { write!(out, "{self:e}") }
    }
}

/// Writes the model as DRN: fractions as fractions, doubles with as many digits as they need.
///
/// Rewards are written as they are, without the principals' weights, and discounts not at all. States are numbered; their
/// names are comments. In the names of actions and principals, `_` replaces blanks and empty names.
pub fn write_drn<N: DrnNumber>(model: &Mdp<N>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "@type: MDP\n@value_type: {}\n@parameters\n\n@reward_models", N::VALUE_TYPE)?;
    writeln!(out, "{}", drn_reward_names(model.principals()).join(" "))?;
    writeln!(out, "@nr_states\n{}\n@nr_choices\n{}\n@model", model.n_states(), model.n_choices())?;
    for state in model.states() {
        let label = if state == model.start() { " init" } else { "" };
        writeln!(out, "state {}{label}", state.index())?;
        let name = model.state_name(state);
        if name != state.index().to_string() {
            writeln!(out, "//{}", name.replace(|c: char| c.is_control(), "\u{fffd}"))?;
        }
        for choice in model.choices(state) {
            let label = model.action_label(choice);
            let action = if label == UNNAMED_ACTION { NO_LABEL.to_owned() } else { word(&label) };
            write!(out, "\taction {action} [")?;
            for (index, reward) in model.rewards(choice).iter().enumerate() {
                out.write_all(if index == 0 { b"" } else { b", " })?;
                reward.write(out)?;
            }
            out.write_all(b"]\n")?;
            for (target, probability) in model.transitions(choice) {
                write!(out, "\t\t{} : ", target.index())?;
                probability.write(out)?;
                out.write_all(b"\n")?;
            }
        }
    }
    Ok(())
}

/// The name as one word: `_` replaces characters that end a name in DRN, and an empty name.
fn word(name: &str) -> String {
    if name.is_empty() { "_".to_owned() } else { name.replace(|c: char| c.is_whitespace() || c.is_control(), "_") }
}

/// What the principals are called in a DRN file: one word each, all different.
pub fn drn_reward_names(principals: &[Principal]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for principal in principals {
        let mut name = word(&principal.name);
        // At the beginning of its line it could be taken for a key or a comment.
        if name.starts_with(['@', '/']) {
            name.insert(0, '_');
        }
        while names.contains(&name) {
            name.push('_');
        }
        names.push(name);
    }
    names
}
