//! `commonweal-simulation/1`: estimates from random runs of a strategy.

use super::pieces::nearest_double;
use super::{Document, Double, Entries, Format, Fraction, Status};
use crate::evaluate::Evaluation;
use crate::evaluation::{self, SimulateOptions};
use crate::model::Structure;
use crate::number::{Enclosure, Rational};
use serde::{Deserialize, Serialize};

/// Means with confidence intervals, and the exact numbers if they are known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Simulation {
    format: Format<Simulation>,
    /// `stopped`, if there are fewer runs than were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Why there are fewer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The start state.
    pub start: String,
    /// The number of runs.
    pub runs: u64,
    /// Digits in a string: a seed may exceed 2^53.
    pub seed: String,
    /// How often the intervals contain the true value.
    #[serde(deserialize_with = "nearest_double")]
    pub confidence: f64,
    /// The number of steps after which a run is cut.
    pub steps: u64,
    /// The weighted sum of the payoffs.
    pub welfare: Estimate,
    /// What each principal of the file gets, before its weight.
    pub payoffs: Entries<Estimate>,
    /// For each principal, an upper bound on the value of the truncated steps.
    pub truncation: Entries<Double>,
}

/// A mean with its confidence interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The mean; `None` if there was no run.
    pub mean: Option<Double>,
    /// Its standard error.
    pub standard_error: Double,
    /// The lower end of the interval.
    pub lower: Double,
    /// The upper end of the interval.
    pub upper: Double,
    /// The exact number, where it is cheap to compute.
    #[serde(default, skip_serializing_if = "Fraction::is_left_out")]
    pub exact: Fraction,
    /// The double nearest to the middle of the interval.
    pub value: Double,
}

impl Document for Simulation {
    const FORMAT: &'static str = "commonweal-simulation/1";

    fn leave_fractions_out(&mut self) {
        let payoffs = self.payoffs.0.iter_mut().map(|(_, payoff)| payoff);
        payoffs.chain([&mut self.welfare]).for_each(|estimate| estimate.exact = Fraction::LeftOut);
    }
}

impl Simulation {
    /// The document of a simulation from the model's start, beside exact payoffs if they are known.
    pub fn new(
        model: &Structure,
        simulation: &evaluation::Simulation,
        options: &SimulateOptions,
        exact: Option<&Evaluation>,
    ) -> Simulation {
        let start = model.start();
        let names = || model.principals().iter().map(|principal| principal.name.clone());
        let payoff = |(p, name): (usize, String)| {
            let exact = exact.and_then(|evaluation| evaluation.payoff(p.into(), start).exact);
            (name, Estimate::new(&simulation.payoffs[p], exact.as_ref()))
        };
        let welfare = exact.and_then(|evaluation| evaluation.welfare(start).exact);
        Simulation {
            format: Format::default(),
            status: simulation.stopped.map(|_| Status::Stopped),
            reason: simulation.stopped.map(|reason| reason.to_string()),
            start: model.state_name(start).into_owned(),
            runs: simulation.runs,
            seed: options.seed.to_string(),
            confidence: options.confidence,
            steps: simulation.steps,
            welfare: Estimate::new(&simulation.welfare, welfare.as_ref()),
            payoffs: names().enumerate().map(payoff).collect(),
            truncation: names().zip(simulation.truncation.iter().map(|&cut| Double(cut))).collect(),
        }
    }
}

impl Estimate {
    fn new(estimate: &evaluation::Estimate, exact: Option<&Rational>) -> Estimate {
        Estimate {
            mean: (!estimate.mean.is_nan()).then_some(Double(estimate.mean)),
            standard_error: Double(estimate.standard_error),
            lower: Double(estimate.lower),
            upper: Double(estimate.upper),
            exact: exact.into(),
            value: Double(Enclosure::new(estimate.lower, estimate.upper).midpoint()),
        }
    }
}
