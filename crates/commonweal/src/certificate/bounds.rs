//! Certificates of kind bounds (§4, §7).
//!
//! Any values, strategy and horizon give a true certificate: what the strategy earns at least and nobody exceeds is
//! computed on the way, with the arithmetic that checkers use.

use super::Patience;
use super::arithmetic::Arithmetic;
use super::text::{Changes, changes, double, write_layers, write_tail};
use crate::answer::BoundsStage;
use crate::model::ChoiceId;
use crate::principals::OrderedModel;
use crate::stop::StopSignal;
use crate::strategy::{CountingStrategy, Step};
use std::io::{self, Write};

/// What a certificate with bounds is made from.
#[derive(Debug, Clone)]
pub struct BoundsCertificate<'a> {
    /// About what each principal gets, most patient first, equal discounts merged. The nearer to the best, the narrower the
    /// bounds; they hold for any finite numbers.
    pub values: Vec<Vec<f64>>,
    /// What is done from the horizon on.
    pub tail: Vec<ChoiceId>,
    /// The first step of the tail.
    pub horizon: u64,
    /// What is done before the horizon.
    pub strategy: &'a CountingStrategy,
    /// Stages before the horizon in which no state changes its choice, the latest first; all other steps are walked.
    pub stages: &'a [BoundsStage],
}

impl BoundsCertificate<'_> {
    /// Writes the certificate. A stage that gives away more than it says is written with as much as it needs.
    pub fn write(&self, model: &OrderedModel, stop: &StopSignal, out: &mut dyn Write) -> io::Result<()> {
        let horizon = Step::from(self.horizon);
        let a_layer = model.n_transitions() + model.n() * model.n_choices();
        let mut patience = Patience { stop, spent: 0 };
        // Hashing a model takes as long as some layers.
        patience.spend(8 * a_layer)?;
        writeln!(
            out,
            "commonweal-certificate 1\nmodel {}\nkind bounds\nnumbers doubles",
            super::model_hash(model.mdp())
        )?;
        writeln!(out, "horizon {horizon}")?;
        write_tail(model.mdp(), &self.tail, out)?;
        write_values(&self.values, out)?;
        let changes = changes(self.strategy, &self.tail, &horizon);
        let mut arithmetic = Arithmetic::new(model, self.values.clone(), self.horizon, &self.tail);
        let mut decisions = self.tail.clone();
        let mut present = self.horizon;
        for stage in self.stages {
            let BoundsStage { from, until, each, .. } = *stage;
            debug_assert!(changes.range(Step::from(from)..Step::from(until)).next().is_none(), "a choice changes");
            walk(&mut arithmetic, &mut decisions, &changes, (until, present), &mut patience)?;
            write_layers(model.mdp(), &changes, &until.into(), &present.into(), out)?;
            if let Some(values) = &stage.values {
                write_values(values, out)?;
                arithmetic.rebase(until, values);
            }
            patience.spend(64 * a_layer)?;
            let each = arithmetic.stage((from, until), each, &decisions);
            writeln!(out, "stage {from} {}", double(each))?;
            present = from;
        }
        walk(&mut arithmetic, &mut decisions, &changes, (0, present), &mut patience)?;
        write_layers(model.mdp(), &changes, &Step::ZERO, &present.into(), out)?;
        writeln!(out, "welfare")?;
        for state in model.states() {
            let (lower, upper) = arithmetic.welfare(state);
            if arithmetic.is_beyond_doubles || !lower.is_finite() || !upper.is_finite() {
                return Err(io::Error::other("a number of its certificate overflows a double"));
            }
            writeln!(out, "between {} {}", double(lower), double(upper))?;
        }
        writeln!(out, "end")
    }
}

/// Goes back from step `until` to `from`, layer by layer.
fn walk(
    arithmetic: &mut Arithmetic,
    decisions: &mut [ChoiceId],
    changes: &Changes,
    (from, until): (u64, u64),
    patience: &mut Patience,
) -> io::Result<()> {
    for step in (from..until).rev() {
        patience.spend(arithmetic.work_a_layer())?;
        for &(state, choice) in changes.get(&step.into()).into_iter().flatten() {
            decisions[state.index()] = choice;
        }
        arithmetic.layer(step, decisions);
    }
    Ok(())
}

fn write_values(values: &[Vec<f64>], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "values")?;
    values.iter().flatten().try_for_each(|&value| writeln!(out, "{}", double(value)))
}
