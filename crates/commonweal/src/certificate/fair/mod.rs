//! Certificates of fair answers: `docs/formats/fair-certificate-v1.md`, whose sections comments here cite.
//!
//! The answer provides the lottery, and the weights and multipliers of its proof. This module adds the values of its strategies
//! and an ordinary certificate for the weights, or a proof by levels if there are several.

mod lottery;
mod value;

use super::text::{changes, fraction, write_layers, write_tail};
use super::{Certificate, NoCertificate, exact, hashed, joined, write_rows};
use crate::answer::Answer;
use crate::any_model::Model;
use crate::certified;
use crate::exact::long_term;
use crate::fair::{Argument, Fair, Over, ProofStep, Proven, Question, Rule, Weights, lexicographic};
use crate::model::{IntegerRows, Mdp};
use crate::number::Rational;
use crate::principals;
use crate::solve::{Engine, Options};
use crate::stop::{StopReason, StopSignal};
use crate::strategy::Step;
use lottery::Lottery;
use std::borrow::Cow;
use std::io::{self, Write};
use value::Bound;

/// A proof of a fair answer, for a checker that shares no code with this library.
#[derive(Debug)]
pub struct FairCertificate<'a> {
    mdp: Cow<'a, Mdp>,
    question: &'a Question,
    fair: &'a Fair,
    options: Options,
    /// The gap of the certified engine, if that one answered.
    gap: Option<f64>,
    doubles: Option<&'a Mdp<f64>>,
}

impl<'a> FairCertificate<'a> {
    /// The certificate of an answer that [`fair`](crate::fair::fair) gave to this question with these options.
    pub fn of(
        model: &'a Model,
        question: &'a Question,
        fair: &'a Fair,
        options: &Options,
    ) -> Result<FairCertificate<'a>, NoCertificate> {
        if model.notes().rounded {
            return Err(NoCertificate::Rounded);
        }
        if model.principals().iter().any(|principal| principal.parts().is_none()) {
            return Err(NoCertificate::Segments);
        }
        if fair.proof.is_empty() {
            return Err(match fair.proven {
                Proven::Optimal => NoCertificate::NothingToProve,
                Proven::WithinGap => NoCertificate::InDoubles,
                Proven::Infeasible | Proven::Stopped(_) => NoCertificate::NotProven,
            });
        }
        let gap = fair.gap;
        if gap.is_some() && question.rule.is_smooth() && !fair.not_counted.is_empty() {
            // Bounds on an own best do not prove that nobody gains by it.
            return Err(NoCertificate::InDoubles);
        }
        let engine = gap.map_or(Engine::Exact, Engine::Within);
        let options = Options { keep_proof: true, engine, ..options.clone() };
        let doubles = gap.and_then(|_| model.doubles().ok());
        Ok(FairCertificate { mdp: model.exact(), question, fair, options, gap, doubles })
    }

    /// The whole text.
    pub fn to_bytes(&self) -> Result<Vec<u8>, NoCertificate> {
        let mut out = Vec::new();
        let written = self.write(&mut out)?;
        written.map_err(|_| NoCertificate::Stopped)?;
        Ok(out)
    }

    /// Floors and ceilings as the answer meets them, each in the principals' order.
    fn demands(&self) -> [Vec<(usize, Rational)>; 2] {
        let [floors, ceilings] = self.question.demands();
        let by = &self.fair.relaxed_by;
        let floors = floors.into_iter().map(|(p, floor)| (p.index(), floor - by));
        let ceilings = ceilings.into_iter().map(|(p, ceiling)| (p.index(), ceiling + by));
        [floors.collect(), ceilings.collect()]
    }

    fn stop(&self) -> &StopSignal {
        &self.options.stop
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<io::Result<()>, NoCertificate> {
        let is_feasible = self.fair.proven != Proven::Infeasible;
        let lottery = if is_feasible { Some(Lottery::of(self)?) } else { None };
        let (proof, halves) = self.proof()?;
        let extremes = self.extremes()?;
        let bound = Bound { certificate: self, halves: &halves, extremes: &extremes };
        let claim = bound.claim(lottery.as_ref())?;
        Ok((|| {
            writeln!(out, "commonweal-fair-certificate 1\nmodel {}", principals_hash(&self.mdp))?;
            writeln!(out, "start {}", self.mdp.start().index())?;
            writeln!(out, "rule {}", bound.rule())?;
            let word = if self.shows_own_worst() { "own-worst" } else { "given" };
            writeln!(out, "over {word} {}", joined(&self.fair.over))?;
            for (word, bounds) in ["at-least", "at-most"].into_iter().zip(self.demands()) {
                for (p, bound) in bounds {
                    writeln!(out, "{word} {p} {}", fraction(&bound))?;
                }
            }
            write!(out, "{claim}")?;
            if let Some(lottery) = &lottery {
                out.write_all(&lottery.text)?;
            }
            self.write_steps(out)?;
            out.write_all(&proof)?;
            for extreme in &extremes {
                writeln!(out, "{} {}", extreme.word, extreme.p)?;
                out.write_all(&extreme.certificate)?;
            }
            writeln!(out, "end")
        })())
    }

    fn write_steps(&self, out: &mut Vec<u8>) -> io::Result<()> {
        writeln!(out, "steps {}", self.fair.proof.len())?;
        for ProofStep { argument, rows, .. } in &self.fair.proof {
            let is_missing = self.fair.proven == Proven::Infeasible;
            let (word, gains): (String, &[Rational]) = match argument {
                Argument::Tight => ("tight".to_owned(), &[]),
                Argument::Least { value, gains } => (format!("least {}", fraction(value)), gains),
                Argument::Bound { .. } if is_missing => ("bound".to_owned(), &[]),
                Argument::Bound { gains } => ("bound".to_owned(), gains),
            };
            let numbers = rows.iter().chain(gains).map(|number| format!(" {}", fraction(number)));
            writeln!(out, "{word}{}", numbers.collect::<String>())?;
        }
        Ok(())
    }

    /// The proof of the half-spaces, and for each step the upper bound on its face.
    fn proof(&self) -> Result<(Vec<u8>, Vec<Rational>), NoCertificate> {
        if let [only] = &self.fair.proof[..] {
            let ordinary = self.ordinary(&only.weights)?;
            let half = stated(&ordinary, self.mdp.start().index());
            return Ok(([&b"certificate\n"[..], &ordinary].concat(), vec![half]));
        }
        let levels: Vec<&Weights> = self.fair.proof.iter().map(|step| &step.weights).collect();
        self.levels(&levels).map_err(|_| NoCertificate::Stopped)
    }

    /// An ordinary certificate for these weights.
    fn ordinary(&self, weights: &Weights) -> Result<Vec<u8>, NoCertificate> {
        let weighted = self.mdp.clone().into_owned().with_weights(weights);
        let answer: Answer = match (self.gap, self.doubles) {
            (Some(gap), Some(doubles)) => {
                certified::solve(&doubles.clone().with_weights(weights), gap / FINER, &self.options)
            }
            _ => crate::exact::solve(&weighted, &self.options),
        };
        let certificate = Certificate::of_mdp(&weighted, &answer)?;
        certificate.to_bytes().map_err(|_| NoCertificate::Stopped)
    }

    /// A proof by levels (§6).
    fn levels(&self, levels: &[&Weights]) -> Result<(Vec<u8>, Vec<Rational>), StopReason> {
        let (mdp, stop) = (&*self.mdp, self.stop());
        let found = lexicographic::solve(mdp, &IntegerRows::of(mdp), levels, stop)?;
        let (horizon, mut out) = (Step::from(found.horizon), Vec::new());
        let tail: Vec<_> = mdp.states().map(|state| found.strategy.choice(state, &horizon)).collect();
        let mut write = |values: Vec<Vec<crate::number::ExactVector>>| -> io::Result<()> {
            writeln!(out, "levels\nhorizon {horizon}")?;
            write_tail(mdp, &tail, &mut out)?;
            for level in &values {
                exact::write_values(level, &mut super::Patience { stop, spent: 0 }, &mut out)?;
            }
            write_layers(mdp, &changes(&found.strategy, &tail, &horizon), &Step::ZERO, &horizon, &mut out)
        };
        let of_level = |weights: &&Weights| {
            let weighted = mdp.clone().with_weights(weights);
            let ordered = principals::order_unless(&weighted, stop)?;
            (0..ordered.n()).map(|i| long_term::value_of(&ordered, &tail, i, stop)).collect::<Result<Vec<_>, _>>()
        };
        let values = levels.iter().map(of_level).collect::<Result<Vec<_>, _>>()?;
        write(values).map_err(|_| stop.reason().unwrap_or(StopReason::Precision))?;
        let half = |weights: &&Weights| {
            let terms = weights.iter().zip(&found.payoffs).map(|(weight, payoff)| weight * payoff);
            crate::number::sum(terms)
        };
        Ok((out, levels.iter().map(half).collect()))
    }

    /// Whether the certificate proves that the reference point is each principal's own worst; doubles cannot prove it.
    fn shows_own_worst(&self) -> bool {
        matches!(self.question.over, Over::OwnWorst) && self.gap.is_none()
    }

    /// Each principal's own worst and own best, if the rule uses them.
    fn extremes(&self) -> Result<Vec<Extreme>, NoCertificate> {
        let n = self.mdp.n_principals();
        let alone = |p: usize, sign: Rational| -> Weights {
            (0..n).map(|q| if q == p { sign.clone() } else { Rational::ZERO }).collect()
        };
        let extreme = |word: &'static str, p: usize, sign: Rational| -> Result<Extreme, NoCertificate> {
            let certificate = self.ordinary(&alone(p, sign))?;
            let most = stated(&certificate, self.mdp.start().index());
            Ok(Extreme { word, p, most, certificate })
        };
        let is_missing = self.fair.proven == Proven::Infeasible;
        let best: Vec<usize> = match self.question.rule {
            Rule::KalaiSmorodinsky if self.gap.is_none() => (0..n).collect(),
            Rule::Nash | Rule::Alpha(_) if !is_missing => {
                let counted = self.counted();
                (0..n).filter(|p| !counted.contains(p)).collect()
            }
            Rule::KalaiSmorodinsky | Rule::Nash | Rule::Alpha(_) => Vec::new(),
            Rule::Welfare | Rule::MaxMin | Rule::Leximin | Rule::Gini(_) => Vec::new(),
        };
        let worst = if self.shows_own_worst() { 0..n } else { 0..0 };
        let worst = worst.map(|p| extreme("worst", p, Rational::NEG_ONE));
        worst.chain(best.into_iter().map(|p| extreme("best", p, Rational::ONE))).collect()
    }

    /// Whose gains count by a smooth rule.
    fn counted(&self) -> Vec<usize> {
        let n = self.mdp.n_principals();
        match self.fair.proof.last().map(|step| &step.argument) {
            Some(Argument::Bound { gains }) if gains.iter().any(|gain| !gain.is_zero()) => {
                (0..n).filter(|&p| !gains[p].is_zero()).collect()
            }
            _ => (0..n).collect(),
        }
    }
}

/// The ratio of the answer's gap to that of the ordinary certificate.
const FINER: f64 = 16.0;

/// A principal's own best, or minus its own worst.
struct Extreme {
    word: &'static str,
    p: usize,
    most: Rational,
    certificate: Vec<u8>,
}

/// The welfare that an ordinary certificate states for a state: the fraction, or the upper number.
fn stated(certificate: &[u8], state: usize) -> Rational {
    let text = std::str::from_utf8(certificate).expect("certificates are ASCII");
    let mut lines = text.lines().skip_while(|line| *line != "welfare").skip(1 + state);
    let word = lines.next().and_then(|line| line.rsplit(' ').next()).expect("one line for each state");
    read(word).expect("a number that was just written")
}

/// A number of §2 of the other page.
fn read(word: &str) -> Option<Rational> {
    let (sign, magnitude) = word.strip_prefix('-').map_or((Rational::ONE, word), |rest| (Rational::NEG_ONE, rest));
    let integer = |text: &str| -> Option<Rational> {
        let digits = text.strip_prefix("0x").map(|digits| (digits, 16)).unwrap_or((text, 10));
        let value = crate::number::Integer::from_str_radix(digits.0, digits.1).ok()?;
        Some(Rational::from_integer(value))
    };
    if let Some((mantissa, exponent)) = magnitude.split_once('p') {
        let (whole, digits) = mantissa.strip_prefix("0x")?.split_once('.').unwrap_or((&mantissa[2..], ""));
        let value = integer(&format!("0x{whole}{digits}"))?;
        let exponent: isize = exponent.parse().ok()?;
        return Some(sign * value * Rational::from(2).pow(exponent - 4 * digits.len() as isize));
    }
    match magnitude.split_once('/') {
        Some((above, below)) => Some(sign * integer(above)? / integer(below)?),
        None => Some(sign * integer(magnitude)?),
    }
}

/// Writes the form by principals (§2).
pub fn write_principals(model: &Mdp, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "commonweal-principals 1\nprincipals {}", model.n_principals())?;
    for principal in model.principals() {
        let term = |part: &crate::model::Part| format!("{} {}", fraction(&part.coefficient), fraction(&part.discount));
        let parts = principal.parts().ok_or_else(|| io::Error::other(NoCertificate::Segments))?;
        writeln!(out, "{}", parts.iter().map(term).collect::<Vec<_>>().join(" "))?;
    }
    write_rows(model, |choice| model.rewards(choice), out)
}

fn principals_hash(model: &Mdp) -> String {
    hashed(|out| write_principals(model, out))
}
