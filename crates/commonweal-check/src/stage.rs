//! A stage (§6 (f)): the decisions hold over a whole interval of steps, too long to walk.

use crate::enclosure::{Enclosure, Float};
use crate::exact::Checker;
use crate::{Stop, refuse};
use std::cmp::Ordering;
use std::collections::HashMap;

/// The most cuts for one choice.
const MAX_CUTS: usize = 10_000;
/// The most steps whose weights are remembered.
const MAX_KNOWN: usize = 4_096;

/// What is known of a step: ρ_i^t, and λ_0 to the power of the steps from there to the end of the stage.
struct Moment {
    weights: Vec<Enclosure>,
    shrunk: Enclosure,
}

/// The greatest upper end and least lower end of the gains over what the decisions reach, per state.
struct Hulls {
    highest: Vec<Float>,
    lowest: Vec<Float>,
}

/// Checks that the decisions, whose values are the base, hold from the present step back to `from`, and goes there.
pub fn check(checker: &mut Checker, from: u128) -> Result<(), Stop> {
    let (model, until) = (checker.model, checker.step);
    if let Some(gains) = &checker.exact_gains
        && !gains.are_none()
    {
        return refuse(format!("stage {from} to {until}: exact gains cannot be carried over a stage; gains, not 0"));
    }
    let cost = 4 * (model.n_transitions() + model.n_states()) as u64;
    checker.work.spend(cost, checker.cost())?;
    let hulls = hulls(checker);
    let mut stage = Stage { until, known: HashMap::new() };
    for state in 0..model.n_states() {
        let decision = checker.decisions[state];
        let lowest = least(model.targets(decision).map(|target| &hulls.lowest[target]));
        for choice in model.choices(state).filter(|&choice| choice != decision) {
            let highest = greatest(model.targets(choice).map(|target| &hulls.highest[target]));
            let slack = checker.precision.add_up(highest, &lowest.negated());
            let slack = if slack.is_negative() { Float::zero() } else { slack };
            if let Some((step, found)) = stage.first_failure(checker, (state, choice), &slack, from)? {
                let first = model.choices(state).start;
                let claim = format!("choice {} may beat the stated choice {}", choice - first, decision - first);
                let place = format!("stage {from} to {until}, step {step}, state {state}");
                return refuse(format!("{place}: {claim}; {found}, not ≤ 0"));
            }
        }
    }
    let length = checker.precision.power(&checker.discount, until - from);
    let carried = |(lo, hi): (Float, Float)| checker.precision.scale(&length, &Enclosure { lo, hi });
    checker.gain = hulls.lowest.into_iter().zip(hulls.highest).map(carried).collect();
    checker.step = from;
    Ok(())
}

fn greatest<'f>(mut floats: impl Iterator<Item = &'f Float>) -> &'f Float {
    let first = floats.next().expect("a row has a target");
    floats.fold(first, |best, float| if float.compare(best).is_gt() { float } else { best })
}

fn least<'f>(mut floats: impl Iterator<Item = &'f Float>) -> &'f Float {
    let first = floats.next().expect("a row has a target");
    floats.fold(first, |best, float| if float.compare(best).is_lt() { float } else { best })
}

fn hulls(checker: &Checker) -> Hulls {
    let (model, gain) = (checker.model, &checker.gain);
    let mut sources: Vec<Vec<usize>> = vec![Vec::new(); model.n_states()];
    for (state, &decision) in checker.decisions.iter().enumerate() {
        model.targets(decision).for_each(|target| sources[target].push(state));
    }
    let (lower, upper) = (gain.iter().map(|gain| gain.lo.clone()), gain.iter().map(|gain| gain.hi.clone()));
    Hulls {
        highest: spread(&upper.collect::<Vec<_>>(), &sources, Ordering::Greater),
        lowest: spread(&lower.collect::<Vec<_>>(), &sources, Ordering::Less),
    }
}

/// Per state the extreme of the ends of all states that it reaches: in their order, each gives its own end to all that reach
/// it and have none yet.
fn spread(ends: &[Float], sources: &[Vec<usize>], extreme: Ordering) -> Vec<Float> {
    let mut order: Vec<usize> = (0..ends.len()).collect();
    order.sort_by(|&left, &right| match extreme {
        Ordering::Greater => ends[right].compare(&ends[left]),
        _ => ends[left].compare(&ends[right]),
    });
    let mut hull: Vec<Option<&Float>> = vec![None; ends.len()];
    for origin in order {
        let mut open = vec![origin];
        while let Some(state) = open.pop() {
            if hull[state].is_none() {
                hull[state] = Some(&ends[origin]);
                open.extend(&sources[state]);
            }
        }
    }
    hull.into_iter().map(|end| end.expect("every state is an origin").clone()).collect()
}

struct Stage {
    until: u128,
    known: HashMap<u128, Moment>,
}

impl Stage {
    /// The first step, from the end, at which a choice is not shown to lose, with what is known of its gain; `None` if it
    /// loses at every step from `from` on.
    fn first_failure(
        &mut self,
        checker: &mut Checker,
        choice: (usize, usize),
        slack: &Float,
        from: u128,
    ) -> Result<Option<(u128, String)>, Stop> {
        // Intervals still to be asked, the latest on top.
        let mut open = vec![(from, self.until - 1)];
        let mut cuts = 0;
        while let Some((u, v)) = open.pop() {
            let Some(found) = self.excess(checker, choice, slack, u, v)? else { continue };
            if u == v {
                return Ok(Some((v, format!("gain {}", found.shown()))));
            }
            if cuts == MAX_CUTS {
                return Ok(Some((v, format!("gain not known after {MAX_CUTS} cuts"))));
            }
            cuts += 1;
            let middle = u + (v - u) / 2;
            open.push((u, middle));
            open.push((middle + 1, v));
        }
        Ok(None)
    }

    /// `None` if one of the three tests shows that the choice loses on all of [u, v]; otherwise what it may gain at v.
    fn excess(
        &mut self,
        checker: &mut Checker,
        choice: (usize, usize),
        slack: &Float,
        u: u128,
        v: u128,
    ) -> Result<Option<Float>, Stop> {
        if self.known.len() > MAX_KNOWN {
            self.known.clear();
        }
        self.learn(checker, u)?;
        self.learn(checker, v)?;
        let n = checker.model.n();
        checker.work.spend(n as u64 * (n as u64 + 2), checker.cost())?;
        let (first, last) = (&self.known[&u], &self.known[&v]);
        let precision = checker.precision;
        let slack = precision.scale(&last.shrunk, &Enclosure { lo: Float::zero(), hi: slack.clone() }).hi;
        let with_slack = |sum: Enclosure| precision.add_up(&sum.hi, &slack);
        let at_v = with_slack(checker.sum(v, &last.weights, choice, 0..n)?);
        if u == v {
            return Ok(at_v.is_positive().then_some(at_v));
        }
        // Suffix. Who counts the first step alone is in no sum at a later one.
        let returns = u == 0 && checker.model.discounts[n - 1].is_zero();
        let mut passes = !returns && !at_v.is_positive();
        for k in 1..n {
            passes = passes && !checker.sum(v, &last.weights, choice, k..n)?.hi.is_positive();
        }
        if passes {
            return Ok(None);
        }
        // Prefix.
        passes = true;
        for k in 1..=n {
            passes = passes && !with_slack(checker.sum(u, &first.weights, choice, 0..k)?).is_positive();
        }
        // Monotony.
        let advantages = checker.advantages(choice.1);
        let greatest = |i: usize| if advantages[i].hi.is_negative() { &last.weights[i] } else { &first.weights[i] };
        let terms = (0..n).map(|i| precision.scale(greatest(i), &advantages[i]));
        let sum = terms.fold(Enclosure::zero(), |sum, term| precision.sum(&sum, &term));
        passes = passes || !with_slack(sum).is_positive();
        Ok((!passes).then_some(at_v))
    }

    /// Makes sure that the weights of a step are known.
    fn learn(&mut self, checker: &mut Checker, t: u128) -> Result<(), Stop> {
        if !self.known.contains_key(&t) {
            let weights = checker.weights(t)?;
            let left = self.until - t;
            checker.work.spend(u64::from(u128::BITS - left.leading_zeros()), checker.cost())?;
            let shrunk = checker.precision.power(&checker.discount, left);
            self.known.insert(t, Moment { weights, shrunk });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enclosure::Precision;
    use crate::fraction::Fraction;

    #[test]
    fn a_state_sees_the_extremes_of_all_that_it_reaches() {
        let float = |x: i64| Precision(64).fraction(&Fraction::new(x.into(), 1.into())).lo;
        // 0 → 1 → 2 → 1, 3 → 0, 4 → 4.
        let sources = [vec![3], vec![0, 2], vec![1], vec![], vec![4]];
        let ends: Vec<Float> = [5, 1, 7, 6, 9].map(float).to_vec();
        let shown = |hull: Vec<Float>| hull.iter().map(Float::shown).collect::<Vec<_>>();
        let expected = |hull: [i64; 5]| hull.map(float).iter().map(Float::shown).collect::<Vec<_>>();
        assert_eq!(shown(spread(&ends, &sources, Ordering::Greater)), expected([7, 7, 7, 7, 9]));
        assert_eq!(shown(spread(&ends, &sources, Ordering::Less)), expected([1, 1, 1, 1, 9]));
    }
}
