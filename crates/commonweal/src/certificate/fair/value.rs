//! The rule of a fair certificate, the value of the lottery, and the upper bound (§5).

use super::super::{NoCertificate, joined};
use super::lottery::Lottery;
use super::{Extreme, FairCertificate};
use crate::fair::{Argument, Proven, Rule, Weights};
use crate::number::{Rational, real_power, sum};

/// The data from which the claim follows.
pub(super) struct Bound<'a> {
    pub certificate: &'a FairCertificate<'a>,
    /// h of each step.
    pub halves: &'a [Rational],
    pub extremes: &'a [Extreme],
}

impl Bound<'_> {
    /// The rule as the certificate writes it.
    pub fn rule(&self) -> String {
        let counted = || {
            let counted = self.certificate.counted();
            counted.iter().map(|p| format!(" {p}")).collect::<String>()
        };
        match &self.certificate.question.rule {
            Rule::Welfare => format!("welfare {}", joined(&self.weights())),
            Rule::MaxMin => "max-min".to_owned(),
            Rule::Leximin => "leximin".to_owned(),
            Rule::Gini(weights) => format!("gini {}", joined(weights)),
            Rule::KalaiSmorodinsky => {
                let word = if self.certificate.gap.is_none() { "own-best" } else { "given" };
                format!("kalai-smorodinsky {word} {}", joined(&self.ranges()))
            }
            Rule::Nash => format!("nash{}", counted()),
            Rule::Alpha(alpha) => format!("alpha {}/{}{}", alpha.numerator(), alpha.denominator(), counted()),
        }
    }

    /// The lines of the claim.
    pub fn claim(&self, lottery: Option<&Lottery>) -> Result<String, NoCertificate> {
        let short = self.bound();
        let Some(lottery) = lottery else {
            let most = short.ok_or(NoCertificate::NotProven)?;
            return if most < Rational::ZERO {
                Ok(format!("missing {}\n", joined(&[-most])))
            } else {
                Err(NoCertificate::NotProven)
            };
        };
        let over = &self.certificate.fair.over;
        let gains: Vec<Rational> = lottery.payoffs.iter().zip(over).map(|(payoff, over)| &payoff[0] - over).collect();
        if let Rule::Alpha(alpha) = &self.certificate.question.rule {
            return self.alpha(alpha, &gains);
        }
        let lower = match &self.certificate.question.rule {
            Rule::Welfare => {
                let term = |(p, weight): (usize, &Rational)| {
                    let end = usize::from(*weight < Rational::ZERO);
                    weight * (&lottery.payoffs[p][end] - &over[p])
                };
                sum(self.weights().iter().enumerate().map(term))
            }
            Rule::Gini(weights) => {
                let mut gains = gains;
                gains.sort();
                sum(weights.iter().zip(&gains).map(|(weight, gain)| weight * gain))
            }
            Rule::KalaiSmorodinsky => {
                let ranges = self.ranges();
                let shares = gains.iter().zip(&ranges).filter(|(_, range)| !range.is_zero());
                shares.map(|(gain, range)| gain / range).min().ok_or(NoCertificate::NotProven)?
            }
            Rule::Nash => self.certificate.counted().iter().fold(Rational::ONE, |product, &p| product * &gains[p]),
            Rule::MaxMin | Rule::Leximin | Rule::Alpha(_) => gains.into_iter().min().expect("a principal"),
        };
        let upper = match (&self.certificate.question.rule, short) {
            (Rule::Leximin, _) => lower.clone(),
            (Rule::Nash, Some(bound)) => {
                let counts = self.gains();
                let counted = self.certificate.counted();
                let product = counted.iter().fold(Rational::ONE, |product, &p| product * &counts[p]);
                (bound / Rational::from(counted.len())).pow(counted.len() as isize) / product
            }
            (_, Some(bound)) => bound,
            (_, None) => return Err(NoCertificate::NotProven),
        };
        Ok(format!("value {}\n", joined(&[lower, upper])))
    }

    /// B: the upper bound of v·u, or minus the shortfall of infeasible demands; `None` for leximin.
    fn bound(&self) -> Option<Rational> {
        let certificate = self.certificate;
        let step = certificate.fair.proof.last()?;
        let Argument::Bound { gains } = &step.argument else { return None };
        let [floors, ceilings] = certificate.demands();
        let bounds = floors.iter().map(|(_, floor)| floor.clone()).chain(ceilings.iter().map(|(_, ceiling)| -ceiling));
        let rows = sum(step.rows.iter().zip(bounds).map(|(multiplier, bound)| multiplier * bound));
        let over = sum(gains.iter().zip(&certificate.fair.over).map(|(gain, over)| gain * over));
        let most = self.halves.last()? - over - rows;
        debug_assert!(certificate.fair.proven != Proven::Infeasible || gains.iter().all(Rational::is_zero));
        Some(most)
    }

    /// v of the last step.
    fn gains(&self) -> Weights {
        match self.certificate.fair.proof.last().map(|step| &step.argument) {
            Some(Argument::Bound { gains } | Argument::Least { gains, .. }) => gains.clone(),
            _ => Vec::new(),
        }
    }

    /// The weights of the file.
    fn weights(&self) -> Weights {
        self.certificate.mdp.principals().iter().map(|principal| principal.weight.clone()).collect()
    }

    /// The greatest gain of each principal alone.
    fn ranges(&self) -> Vec<Rational> {
        let over = &self.certificate.fair.over;
        let best = |p: usize| {
            let shown = self.extremes.iter().find(|extreme| extreme.word == "best" && extreme.p == p);
            shown.map_or_else(|| self.certificate.fair.own_best[p].clone(), |extreme| extreme.most.clone())
        };
        let is_counted = |p: usize| !self.certificate.fair.not_counted.contains(&p.into());
        let range = |p: usize| if is_counted(p) { best(p) - &over[p] } else { Rational::ZERO };
        (0..over.len()).map(range).collect()
    }

    /// The claim of an α-fair lottery, with its powers and roots.
    fn alpha(&self, alpha: &Rational, gains: &[Rational]) -> Result<String, NoCertificate> {
        let bound = self.bound().ok_or(NoCertificate::NotProven)?;
        let (counts, counted) = (self.gains(), self.certificate.counted());
        if counted.iter().any(|&p| gains[p] <= Rational::ZERO) {
            return Err(NoCertificate::NotProven);
        }
        let patient = *alpha < Rational::ONE;
        let exponent = Rational::ONE - alpha;
        let power = |p: &usize| real_power(&gains[*p], &exponent)[usize::from(!patient)].clone();
        let powers: Vec<Rational> = counted.iter().map(power).collect();
        let root_exponent = (alpha - Rational::ONE) / alpha;
        let whole = |number: &crate::number::Integer| isize::try_from(number).expect("a small exponent");
        let (above, below) = (whole(root_exponent.numerator()), whole(&root_exponent.denominator().clone().into()));
        let root = |(p, power): (&usize, &Rational)| {
            // At the optimum the root is the power itself.
            if power.pow(below) == counts[*p].pow(above) {
                return power.clone();
            }
            real_power(&counts[*p], &root_exponent)[usize::from(patient)].clone()
        };
        let roots: Vec<Rational> = counted.iter().zip(&powers).map(root).collect();
        let lower = sum(powers.iter().cloned()) / &exponent;
        let upper = bound + alpha / &exponent * sum(roots.iter().cloned());
        Ok(format!("value {}\npowers {}\nroots {}\n", joined(&[lower, upper]), joined(&powers), joined(&roots)))
    }
}
