//! The form of a model by principals (§2 of `docs/formats/fair-certificate-v1.md`), and its canonical forms for given weights.

use crate::fraction::Fraction;
use crate::model::{self, Model};
use crate::text::{Lines, canonical_fraction, count};
use crate::yaml::number_text;
use crate::{Unreadable, sha256};
use num_traits::Signed;
use std::fmt::Write;

/// The first line.
pub const HEADER: &str = "commonweal-principals 1\n";

/// A principal's time preference: step j counts Σ c λ^j over these (c, λ).
type Terms = Vec<(Fraction, Fraction)>;

/// A model by principals.
pub struct Principals {
    terms: Vec<Terms>,
    /// The rewards of each principal; its discounts are not used.
    by_principal: Model,
    /// The rewards and the discount of each term, principal by principal.
    pub by_term: Model,
}

impl Principals {
    /// The model of a form by principals.
    pub fn read(form: &[u8]) -> Result<Principals, Unreadable> {
        let mut lines = Lines::new(form)?;
        lines.word(HEADER.trim_end())?;
        let n = lines.entry("principals", |rest| count(rest).filter(|&n| n > 0), "their number, at least 1")?;
        // A line for each: the vector never outgrows the file.
        let mut terms = Vec::new();
        for _ in 0..n {
            terms.push(lines.take(read_terms, "coefficients and falling discounts in [0, 1)")?);
        }
        let by_principal = Model::read_states(lines, vec![Fraction::zero(); n], n)?;
        let all = |(principal, terms): (usize, &Terms)| {
            terms.iter().map(|(_, discount)| (principal, discount.clone())).collect::<Vec<_>>()
        };
        let by_term = by_principal.with_terms(&terms.iter().enumerate().flat_map(all).collect::<Vec<_>>());
        Ok(Principals { terms, by_principal, by_term })
    }

    /// The number of principals.
    pub fn n(&self) -> usize {
        self.terms.len()
    }

    pub fn n_states(&self) -> usize {
        self.by_principal.n_states()
    }

    /// The coefficients of all terms, each beside its principal, in the order of `by_term`.
    pub fn coefficients(&self) -> impl Iterator<Item = (usize, &Fraction)> {
        self.terms.iter().enumerate().flat_map(|(p, terms)| terms.iter().map(move |(coefficient, _)| (p, coefficient)))
    }

    /// The canonical form for these weights, a single segment, and its hash.
    pub fn weighted(&self, weights: &[Fraction]) -> Result<(Vec<Model>, String), Unreadable> {
        let nobody_counts = weights.iter().all(Fraction::is_zero);
        let counted: Vec<usize> = (0..self.n()).filter(|&p| nobody_counts || !weights[p].is_zero()).collect();
        let mut discounts: Vec<&Fraction> =
            counted.iter().flat_map(|&p| self.terms[p].iter().map(|(_, discount)| discount)).collect();
        discounts.sort_by(|left, right| right.compare(left));
        discounts.dedup_by(|left, right| left.compare(right).is_eq());
        // The principals and factors at each discount.
        let mut sources: Vec<Vec<(usize, Fraction)>> = vec![Vec::new(); discounts.len()];
        for &p in &counted {
            for (coefficient, discount) in &self.terms[p] {
                let place = discounts.partition_point(|other| other.compare(discount).is_gt());
                sources[place].push((p, weights[p].times(coefficient)));
            }
        }
        let mut text = String::from(model::HEADER);
        let shown: Vec<String> = discounts.iter().map(|discount| number_text(discount)).collect();
        let _ = writeln!(text, "discounts {}\nstates {}", shown.join(" "), self.n_states());
        let model = &self.by_principal;
        for state in 0..self.n_states() {
            let _ = writeln!(text, "choices {}", model.choices(state).len());
            for choice in model.choices(state) {
                for source in &sources {
                    let terms = source.iter().map(|(p, counts)| counts.times(model.reward(choice, *p)));
                    let reward = terms.fold(Fraction::zero(), |sum, term| sum.plus(&term).in_lowest_terms());
                    let _ = write!(text, "{} ", number_text(&reward));
                }
                let (targets, probabilities) = model.row(choice);
                let _ = write!(text, ">");
                for (target, &probability) in targets.iter().zip(probabilities) {
                    let _ = write!(text, " {target} {}", number_text(&model.numbers[probability as usize]));
                }
                text.push('\n');
            }
        }
        text.push_str("end\n");
        let long = |_| Unreadable("its weights make numbers that are too long".to_owned());
        Ok((Model::read(text.as_bytes()).map_err(long)?, sha256::hexadecimal(text.as_bytes())))
    }
}

fn read_terms(line: &str) -> Option<Terms> {
    let numbers: Vec<Fraction> = line.split(' ').map(canonical_fraction).collect::<Option<_>>()?;
    let terms: Terms = numbers.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
    let within = |discount: &Fraction| !discount.numerator.is_negative() && discount.numerator < discount.denominator;
    let fit = terms.iter().all(|(coefficient, discount)| !coefficient.is_zero() && within(discount));
    let falling = terms.windows(2).all(|pair| pair[0].1.compare(&pair[1].1).is_gt());
    (numbers.len() == 2 * terms.len() && !terms.is_empty() && fit && falling).then_some(terms)
}
