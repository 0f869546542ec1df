//! Certificates of kind bounds (§4, §7).
//!
//! Any values, strategy and horizon give a true certificate: the bounds are computed while it is written, with the
//! arithmetic that checkers use.

use super::arithmetic::Arithmetic;
use super::text::{Changes, changes, double, write_layers, write_tail};
use super::{Patience, n_parts};
use crate::answer::{BoundsSegment, BoundsStage};
use crate::model::{ChoiceId, Mdp};
use crate::principals::{self, OrderedModel, OrderedSegment};
use crate::stop::StopSignal;
use crate::strategy::{CountingStrategy, Step};
use std::io::{self, Write};

/// The data of a certificate of bounds.
#[derive(Debug, Clone)]
pub struct BoundsCertificate<'a> {
    /// Approximate values of each principal, most patient first, equal discounts merged. Better values give narrower bounds; the
    /// bounds hold for any finite numbers.
    pub values: Vec<Vec<f64>>,
    /// The choices from the horizon on.
    pub tail: Vec<ChoiceId>,
    /// The first step of the tail.
    pub horizon: u64,
    /// The choices before the horizon.
    pub strategy: &'a CountingStrategy,
    /// Stages before the horizon in which no state changes its choice, the latest first; all other steps are walked.
    pub stages: &'a [BoundsStage],
    /// The segments before the last one, the latest first; none where the model has one.
    pub segments: Vec<BoundsSegment>,
}

impl BoundsCertificate<'_> {
    /// Writes the certificate. A stage whose loss exceeds `each` is written with the loss that it needs.
    pub fn write(&self, mdp: &Mdp, stop: &StopSignal, out: &mut dyn Write) -> io::Result<()> {
        let horizon = Step::from(self.horizon);
        let a_layer = mdp.n_transitions() + n_parts(mdp) * mdp.n_choices();
        let mut patience = Patience { stop, spent: 0 };
        // Hashing a model takes as long as a few layers.
        patience.spend(8 * a_layer)?;
        writeln!(out, "commonweal-certificate 1\nmodel {}\nkind bounds\nnumbers doubles", super::model_hash(mdp))?;
        writeln!(out, "horizon {horizon}")?;
        write_tail(mdp, &self.tail, out)?;
        write_values(&self.values, out)?;
        let ordered = |segment: OrderedSegment| {
            let model = principals::order_by(mdp, segment.parts.clone(), stop).map_err(io::Error::other)?;
            Ok((segment, model))
        };
        let segments = principals::segments(mdp.principals()).into_iter().map(ordered);
        let segments: Vec<(OrderedSegment, OrderedModel)> = segments.collect::<io::Result<_>>()?;
        let (last, ordered) = segments.last().expect("at least one segment");
        let mut walk = WayBack {
            mdp,
            changes: changes(self.strategy, &self.tail, &horizon),
            arithmetic: Arithmetic::new(ordered, self.values.clone(), self.horizon - last.origin, &self.tail),
            decisions: self.tail.clone(),
            present: self.horizon,
            patience,
            a_layer,
        };
        walk.over(last, self.stages, out)?;
        for ((segment, ordered), own) in segments.iter().rev().skip(1).zip(&self.segments) {
            writeln!(out, "segment")?;
            write_values(&own.values, out)?;
            walk.arithmetic.enter(ordered, &own.values, own.until - segment.origin);
            walk.over(segment, &own.stages, out)?;
        }
        let WayBack { arithmetic, .. } = walk;
        writeln!(out, "welfare")?;
        for state in mdp.states() {
            let (lower, upper) = arithmetic.welfare(state);
            if arithmetic.is_beyond_doubles || !lower.is_finite() || !upper.is_finite() {
                return Err(io::Error::other("a number of its certificate overflows a double"));
            }
            writeln!(out, "between {} {}", double(lower), double(upper))?;
        }
        writeln!(out, "end")
    }
}

/// The way back from the horizon, as it is written.
struct WayBack<'a> {
    mdp: &'a Mdp,
    arithmetic: Arithmetic<'a>,
    decisions: Vec<ChoiceId>,
    changes: Changes,
    /// The step reached.
    present: u64,
    patience: Patience<'a>,
    /// What a layer takes, in transitions.
    a_layer: usize,
}

impl WayBack<'_> {
    /// Goes back to the first step of a segment.
    fn over(&mut self, segment: &OrderedSegment, stages: &[BoundsStage], out: &mut dyn Write) -> io::Result<()> {
        for stage in stages {
            let BoundsStage { from, until, .. } = *stage;
            let changes = self.changes.range(Step::from(from)..Step::from(until)).next();
            debug_assert!(changes.is_none(), "a choice changes");
            self.layers(segment, until, out)?;
            let [local_from, local_until] = [from, until].map(|step| segment.local(step));
            if let Some(values) = &stage.values {
                write_values(values, out)?;
                self.arithmetic.rebase(local_until, values);
            }
            let phases = stage.harmonic.as_deref().unwrap_or(&[]);
            self.patience.spend((64 + phases.len()) * self.a_layer)?;
            if !phases.is_empty() {
                writeln!(out, "harmonic {}", phases.len())?;
                write_doubles(phases, out)?;
            }
            let each = self.arithmetic.stage((local_from, local_until), stage, &self.decisions);
            write!(out, "stage {from} {}", double(each))?;
            if stage.patient > 0.0 {
                write!(out, " {}", double(stage.patient))?;
            }
            writeln!(out)?;
            self.present = from;
        }
        self.layers(segment, segment.from, out)
    }

    /// Goes back to step `from`, layer by layer.
    fn layers(&mut self, segment: &OrderedSegment, from: u64, out: &mut dyn Write) -> io::Result<()> {
        for step in (from..self.present).rev() {
            self.patience.spend(self.arithmetic.work_a_layer())?;
            for &(state, choice) in self.changes.get(&step.into()).into_iter().flatten() {
                self.decisions[state.index()] = choice;
            }
            self.arithmetic.layer(segment.local(step), &self.decisions);
        }
        write_layers(self.mdp, &self.changes, &from.into(), &self.present.into(), out)?;
        self.present = from;
        Ok(())
    }
}

fn write_values(values: &[Vec<f64>], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "values")?;
    write_doubles(values, out)
}

fn write_doubles(vectors: &[Vec<f64>], out: &mut dyn Write) -> io::Result<()> {
    vectors.iter().flatten().try_for_each(|&value| writeln!(out, "{}", double(value)))
}
