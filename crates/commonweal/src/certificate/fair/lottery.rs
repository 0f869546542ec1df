//! The lottery of a fair certificate (§4): its strategies, the values of their tails, and bounds on its payoffs.

use super::super::exact::write_values;
use super::super::outward::Outward;
use super::super::text::{changes, double, fraction, write_layers, write_tail};
use super::super::{NoCertificate, Patience};
use super::FairCertificate;
use crate::certified;
use crate::exact::long_term::positional_value;
use crate::fair::Share;
use crate::model::{ChoiceId, Mdp, Part};
use crate::number::Rational;
use crate::strategy::{CountingStrategy, Step, Strategy};
use std::io::{self, Write};

/// More layers than this are not written: a checker walks them one by one.
const MOST_LAYERS: u64 = 200_000;

/// The text, and bounds on each principal's payoff.
pub(super) struct Lottery {
    pub text: Vec<u8>,
    pub payoffs: Vec<[Rational; 2]>,
}

impl Lottery {
    pub fn of(certificate: &FairCertificate) -> Result<Lottery, NoCertificate> {
        let n = certificate.mdp.n_principals();
        let mut lottery = Lottery { text: Vec::new(), payoffs: vec![[Rational::ZERO, Rational::ZERO]; n] };
        writeln!(lottery.text, "lottery {}", certificate.fair.mix.len()).expect("a text takes every byte");
        for share in &certificate.fair.mix {
            let drawn = Drawn::new(certificate, share)?;
            let payoffs = drawn.write(share, &mut lottery.text)?;
            for (sum, own) in lottery.payoffs.iter_mut().zip(payoffs) {
                sum.iter_mut().zip(own).for_each(|(sum, own)| *sum += own * &share.probability);
            }
        }
        Ok(lottery)
    }
}

/// A strategy that may be drawn.
struct Drawn<'a> {
    certificate: &'a FairCertificate<'a>,
    mdp: &'a Mdp,
    horizon: u64,
    tail: Vec<ChoiceId>,
}

impl<'a> Drawn<'a> {
    fn new(certificate: &'a FairCertificate, share: &Share) -> Result<Drawn<'a>, NoCertificate> {
        let settled = share.strategy.settled_from();
        let horizon = u64::try_from(&settled).ok().filter(|&steps| steps <= MOST_LAYERS);
        let horizon = horizon.ok_or(NoCertificate::TooManySteps { most: MOST_LAYERS })?;
        let mdp = &*certificate.mdp;
        let tail = mdp.states().map(|state| share.strategy.tail(state)).collect();
        Ok(Drawn { certificate, mdp, horizon, tail })
    }

    /// Writes the share, and returns bounds on each principal's payoff.
    fn write(&self, share: &Share, out: &mut Vec<u8>) -> Result<Vec<[Rational; 2]>, NoCertificate> {
        let exact: Option<Vec<Rational>> = share.payoffs.iter().map(|payoff| payoff.exact.clone()).collect();
        let numbers = if exact.is_some() { "exact" } else { "doubles" };
        let begin = |out: &mut Vec<u8>| -> io::Result<()> {
            writeln!(out, "share {}\nnumbers {numbers}", fraction(&share.probability))?;
            writeln!(out, "horizon {}", self.horizon)?;
            write_tail(self.mdp, &self.tail, out)
        };
        begin(out).expect("a text takes every byte");
        let payoffs = match exact {
            Some(exact) => {
                self.write_exact_values(out)?;
                exact.into_iter().map(|payoff| [payoff.clone(), payoff]).collect()
            }
            None => self.write_doubles(&share.strategy, out)?,
        };
        let horizon = Step::from(self.horizon);
        let changes = changes(&share.strategy, &self.tail, &horizon);
        write_layers(self.mdp, &changes, &Step::ZERO, &horizon, out).expect("a text takes every byte");
        Ok(payoffs)
    }

    fn write_exact_values(&self, out: &mut Vec<u8>) -> Result<(), NoCertificate> {
        let stop = self.certificate.stop();
        let mut values = Vec::new();
        for (p, principal) in self.mdp.principals().iter().enumerate() {
            for part in principal.parts().unwrap_or_default() {
                let reward = |choice: ChoiceId| &self.mdp.rewards(choice)[p];
                let value = positional_value(self.mdp, &self.tail, &part.discount, reward, stop);
                values.push(value.map_err(|_| NoCertificate::Stopped)?);
            }
        }
        write_values(&values, &mut Patience { stop, spent: 0 }, out).map_err(|_| NoCertificate::Stopped)
    }

    /// Values in doubles, near those of the tail, and the bounds on the strategy's payoffs that follow from them.
    fn write_doubles(
        &self,
        strategy: &CountingStrategy,
        out: &mut Vec<u8>,
    ) -> Result<Vec<[Rational; 2]>, NoCertificate> {
        const FINE: f64 = 1e-13;
        let stop = self.certificate.stop();
        let doubles = self.certificate.doubles.ok_or(NoCertificate::NotProven)?;
        let tail = Strategy::Counting(CountingStrategy::positional(self.tail.iter().copied()));
        let found = certified::evaluate(doubles, &tail, FINE, stop).map_err(|_| NoCertificate::Stopped)?;
        let mut payoffs = Vec::new();
        writeln!(out, "values").expect("a text takes every byte");
        for (p, principal) in self.mdp.principals().iter().enumerate() {
            let Some([part]) = principal.parts() else { return Err(NoCertificate::SeveralParts) };
            let coefficient = part.coefficient.to_f64();
            let value = |state| found.payoffs.payoff(p.into(), state).enclosure.midpoint() / coefficient;
            let values: Vec<f64> = self.mdp.states().map(value).collect();
            for value in &values {
                writeln!(out, "{}", double(*value)).expect("a text takes every byte");
            }
            let [lower, upper] = self.walked(p, part, &values, strategy)?;
            let ends = [&part.coefficient * lower, &part.coefficient * upper];
            payoffs.push(if part.coefficient < Rational::ZERO { [ends[1].clone(), ends[0].clone()] } else { ends });
        }
        Ok(payoffs)
    }

    /// The strategy's payoff at one discount, as every checker computes it (§4).
    fn walked(
        &self,
        p: usize,
        part: &Part,
        values: &[f64],
        strategy: &CountingStrategy,
    ) -> Result<[Rational; 2], NoCertificate> {
        let mdp = self.mdp;
        let discount = Outward::of(&part.discount);
        let probabilities: Vec<Vec<Outward>> = (0..mdp.n_choices())
            .map(|choice| mdp.probabilities(choice.into()).iter().map(Outward::of).collect())
            .collect();
        let expected = |choice: ChoiceId, of: &dyn Fn(usize) -> Outward| -> Outward {
            let mut row: Vec<(usize, Outward)> =
                mdp.targets(choice).iter().zip(&probabilities[choice.index()]).map(|(t, p)| (t.index(), *p)).collect();
            row.sort_unstable_by_key(|(target, _)| *target);
            row.into_iter().map(|(target, probability)| of(target).times(probability)).sum()
        };
        let advantage = |state: usize, choice: ChoiceId| {
            let later = expected(choice, &|target| Outward::point(values[target])).times(discount);
            later.plus(Outward::of(&mdp.rewards(choice)[p])).plus(Outward::point(-values[state]))
        };
        let at_tail = || self.tail.iter().enumerate().map(|(state, &choice)| advantage(state, choice));
        let most = at_tail().map(|own| own.upper).fold(0.0, f64::max);
        let least = at_tail().map(|own| -own.lower).fold(0.0, f64::max);
        let lifetime = Outward::of(&(Rational::ONE / (Rational::ONE - &part.discount)));
        let after = |drift: f64| Outward::point(drift).times(lifetime).upper;
        let mut gains = vec![Outward { lower: -after(least), upper: after(most) }; mdp.n_states()];
        for step in (0..self.horizon).rev() {
            self.certificate.stop().check().map_err(|_| NoCertificate::Stopped)?;
            let step = Step::from(step);
            let back = |state: crate::model::StateId| {
                let choice = strategy.choice(state, &step);
                let later = expected(choice, &|target| gains[target]).times(discount);
                advantage(state.index(), choice).plus(later)
            };
            gains = mdp.states().map(back).collect();
        }
        let start = mdp.start().index();
        let total = Outward::point(values[start]).plus(gains[start]);
        let end = |end: f64| Rational::try_from(end).map_err(|_| NoCertificate::NotProven);
        Ok([end(total.lower)?, end(total.upper)?])
    }
}
