//! Stages: the decisions stay over a whole interval of steps, too long to walk. [`show`] goes through the steps of either kind,
//! [`check`] is a stage of kind exact (§6 (f)).

use crate::enclosure::{Enclosure, Float};
use crate::exact::Checker;
use crate::harmonic::Harmonic;
use crate::model::Model;
use crate::work::digits;
use crate::{Stop, refuse};
use std::cmp::Ordering;

/// The most bisections for one choice.
const MAX_CUTS: usize = 10_000;

/// A choice that is not taken, and the number of bisections for it.
struct Rival {
    state: usize,
    choice: usize,
    cuts: usize,
}

/// Proves a condition for every choice that is not taken and every step of [from, until). `excess` tests a state and its choice
/// on an `interval` [u, v]: `None` if the condition holds on all of it, otherwise the numbers of the refusal. An interval that
/// fails is bisected, and the later half comes first.
pub fn show<C, I>(
    checker: &mut C,
    (model, decisions): (&Model, &[usize]),
    (from, until): (u128, u128),
    interval: impl Fn(&mut C, u128, u128) -> Result<I, Stop>,
    excess: impl Fn(&mut C, &I, (usize, usize)) -> Result<Option<String>, Stop>,
) -> Result<(), Stop> {
    let mut rivals = Vec::new();
    for (state, &decision) in decisions.iter().enumerate() {
        let others = model.choices(state).filter(|&choice| choice != decision);
        rivals.extend(others.map(|choice| Rival { state, choice, cuts: 0 }));
    }
    // Intervals still to be tested, the latest on top, with the rivals that are left there.
    let mut open = vec![(from, until - 1, (0..rivals.len()).collect::<Vec<_>>())];
    while let Some((u, v, left)) = open.pop() {
        let interval = interval(checker, u, v)?;
        let mut failed = Vec::new();
        for rival in left {
            let Rival { state, choice, cuts } = rivals[rival];
            let Some(found) = excess(checker, &interval, (state, choice))? else { continue };
            if u == v || cuts == MAX_CUTS {
                let claim = model.rivalry(state, choice, decisions[state]);
                let [from, until, v] = [from, until, v].map(|step| step + model.origin);
                let place = format!("stage {from} to {until}, step {v}, state {state}");
                let gain = if u == v { found } else { format!("not known after {cuts} cuts") };
                return refuse(format!("{place}: {claim}; gain {gain}"));
            }
            rivals[rival].cuts += 1;
            failed.push(rival);
        }
        if !failed.is_empty() {
            let middle = u + (v - u) / 2;
            open.push((u, middle, failed.clone()));
            open.push((middle + 1, v, failed));
        }
    }
    Ok(())
}

/// An interval [u, v] of steps with the weights ρ_i^u and ρ_i^v, and λ_0 to the power of the steps from u and from v to the end.
/// Only what is negative needs the first of these powers.
struct Interval {
    u: u128,
    v: u128,
    first: Vec<Enclosure>,
    last: Vec<Enclosure>,
    from_first: Option<Enclosure>,
    from_last: Enclosure,
}

/// z_k(c) of every choice: what it may gain at the end of the stage by where it leads, if k steps are left after it, modulo the
/// period.
struct Leads {
    period: usize,
    end: u128,
    z: Vec<Float>,
}

impl Leads {
    /// The greatest of what a choice may gain at the steps of [u, v].
    fn greatest(&self, choice: usize, u: u128, v: u128) -> &Float {
        let own = &self.z[choice * self.period..(choice + 1) * self.period];
        // At step t, end − t − 1 steps are left.
        let (fewest, most) = (self.end - 1 - v, self.end - 1 - u);
        let all =
            (fewest..=most.min(fewest + self.period as u128 - 1)).map(|k| &own[(k % self.period as u128) as usize]);
        all.max_by(|x, y| x.compare(y)).expect("an interval has a step")
    }
}

/// Checks that the decisions, whose values are the base, hold from the present step back to `from`, and goes there.
pub fn check(checker: &mut Checker, from: u128, harmonic: Option<Harmonic>) -> Result<(), Stop> {
    let (model, until) = (checker.model, checker.step);
    if let Some(earned) = &checker.earned {
        let same = |state| earned.iter().zip(&checker.values).all(|(y, v)| y.of(state).compare(&v.of(state)).is_eq());
        if !(0..model.n_states()).all(same) {
            let [from, until] = [from, until].map(|step| step + model.origin);
            return refuse(format!(
                "stage {from} to {until}: exact gains cannot be carried over a stage; gains, not 0"
            ));
        }
    }
    checker.work.spend(4 * (model.n_transitions() + model.n_states()) as u64, checker.cost())?;
    let mut drifts = None;
    if let Some(harmonic) = &harmonic {
        let [from, until] = [from, until].map(|step| step + model.origin);
        drifts = Some(harmonic.drifts(checker, &format!("stage {from} to {until}"))?);
        for state in 0..model.n_states() {
            let taken_out = harmonic.value(checker, 0, state);
            checker.gain[state] = checker.precision.sum(&checker.gain[state], &taken_out.negated());
        }
    }
    let highest = hull(checker, |gain| &gain.hi, Ordering::Greater);
    let lowest = hull(checker, |gain| &gain.lo, Ordering::Less);
    let slack = slack(checker, &highest, &lowest);
    let (period, z) = match (&harmonic, drifts) {
        (Some(harmonic), Some(drifts)) => {
            let period = harmonic.period();
            let more =
                |(index, drift): (usize, &Enclosure)| checker.precision.add_up(&drift.hi, &slack[index / period]);
            (period, drifts.iter().enumerate().map(more).collect())
        }
        _ => (1, slack),
    };
    let leads = Leads { period, end: until, z };
    let with_losses = harmonic.is_some();
    let decisions = std::mem::take(&mut checker.decisions);
    let interval = |checker: &mut Checker, u, v| Interval::of(checker, u, v, with_losses);
    show(checker, (model, &decisions), (from, until), interval, |checker, interval, rival| {
        // A choice with the same rewards and the same row ties at every step, and no enclosure could show that.
        if model.same(rival.1, decisions[rival.0]) {
            return Ok(None);
        }
        let found = interval.excess(checker, rival, leads.greatest(rival.1, interval.u, interval.v))?;
        Ok(found.map(|found| format!("{}, not ≤ 0", found.shown())))
    })?;
    checker.decisions = decisions;
    let length = checker.precision.power(&checker.discount, until - from);
    let carried = |(state, (lo, hi))| {
        let left = Enclosure { lo, hi };
        let gain = match &harmonic {
            Some(harmonic) => checker.precision.sum(&left, &harmonic.value(checker, until - from, state)),
            None => left,
        };
        checker.precision.scale(&length, &gain)
    };
    checker.gain = lowest.into_iter().zip(highest).enumerate().map(carried).collect();
    checker.step = from;
    Ok(())
}

/// Per state the extreme of one end of the gains over all states that the decisions reach from it: in sorted order, each state
/// passes its own end to all states that reach it and have none yet.
fn hull(checker: &Checker, end: impl Fn(&Enclosure) -> &Float, extreme: Ordering) -> Vec<Float> {
    let mut sources = vec![Vec::new(); checker.decisions.len()];
    for (state, &decision) in checker.decisions.iter().enumerate() {
        checker.model.targets(decision).for_each(|target| sources[target].push(state));
    }
    let ends: Vec<&Float> = checker.gain.iter().map(end).collect();
    let mut order: Vec<usize> = (0..ends.len()).collect();
    order.sort_by(|&left, &right| match extreme {
        Ordering::Greater => ends[right].compare(ends[left]),
        _ => ends[left].compare(ends[right]),
    });
    let mut hull: Vec<Option<Float>> = vec![None; ends.len()];
    for origin in order {
        let mut open = vec![origin];
        while let Some(state) = open.pop() {
            if hull[state].is_none() {
                hull[state] = Some(ends[origin].clone());
                open.extend(&sources[state]);
            }
        }
    }
    hull.into_iter().flatten().collect()
}

/// x(c) of every choice: an upper bound on the difference of the expected gain at the end of the stage.
fn slack(checker: &Checker, highest: &[Float], lowest: &[Float]) -> Vec<Float> {
    let model = checker.model;
    let mut slack = Vec::with_capacity(model.n_choices());
    for (state, &decision) in checker.decisions.iter().enumerate() {
        let least = model.targets(decision).map(|target| &lowest[target]).min_by(|x, y| x.compare(y));
        let least = least.expect("a row has a target");
        for choice in model.choices(state) {
            let greatest = model.targets(choice).map(|target| &highest[target]).max_by(|x, y| x.compare(y));
            let more = checker.precision.add_up(greatest.expect("a row has a target"), &least.negated());
            slack.push(if more.is_negative() { Float::zero() } else { more });
        }
    }
    slack
}

impl Interval {
    fn of(checker: &mut Checker, u: u128, v: u128, with_losses: bool) -> Result<Interval, Stop> {
        let from = |checker: &mut Checker, step: u128| {
            let left = checker.step - step;
            checker.work.spend(digits(left), checker.cost())?;
            Ok::<_, Stop>(checker.precision.power(&checker.discount, left))
        };
        let from_last = from(checker, v)?;
        let from_first = if with_losses { Some(from(checker, u)?) } else { None };
        let (first, last) = (checker.weights(u)?, checker.weights(v)?);
        Ok(Interval { u, v, first, last, from_first, from_last })
    }

    /// `None` if one of the three tests shows that the rival loses on all of the interval; otherwise what it may gain at v. At the
    /// end of the stage it may gain z by where it leads.
    fn excess(&self, checker: &mut Checker, rival: (usize, usize), z: &Float) -> Result<Option<Float>, Stop> {
        let (n, precision) = (checker.model.n(), checker.precision);
        checker.work.spend((n * (n + 2)) as u64, checker.cost())?;
        let shrunk = self.from_first.as_ref().filter(|_| z.is_negative()).unwrap_or(&self.from_last);
        let y = precision.scale(shrunk, &Enclosure { lo: z.clone(), hi: z.clone() }).hi;
        let whole = checker.sum(self.v, &self.last, rival, 0..n)?.hi;
        let at_v = precision.add_up(&whole, &y);
        if self.u == self.v {
            return Ok(at_v.is_positive().then_some(at_v));
        }
        // Suffix. Who counts the first step alone is in no sum at a later one, and a loss by where the rival leads falls in weight
        // beside all others, going back.
        let returns = self.u == 0 && checker.model.discounts[n - 1].is_zero();
        let mut passes = !returns && !if y.is_negative() { &whole } else { &at_v }.is_positive();
        for k in 1..n {
            passes = passes && !checker.sum(self.v, &self.last, rival, k..n)?.hi.is_positive();
        }
        if passes {
            return Ok(None);
        }
        // Prefix.
        passes = true;
        for k in 1..=n {
            passes = passes && !precision.add_up(&checker.sum(self.u, &self.first, rival, 0..k)?.hi, &y).is_positive();
        }
        // Monotony.
        let terms =
            checker.advantages(rival.1).iter().enumerate().map(|(i, advantage)| {
                (if advantage.hi.is_negative() { &self.last[i] } else { &self.first[i] }, advantage)
            });
        passes = passes || !precision.add_up(&precision.sum_of(terms).hi, &y).is_positive();
        Ok((!passes).then_some(at_v))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enclosure::Precision;
    use crate::fraction::Fraction;
    use crate::values::Values;
    use crate::work::Work;

    /// One state, where every choice stays: over the base 0 an advantage is a reward.
    fn model(discounts: &str, rewards: &[Vec<i64>]) -> Model {
        let choice = |rewards: &Vec<i64>| {
            let words: Vec<String> = rewards.iter().map(i64::to_string).collect();
            format!("{} > 0 1\n", words.join(" "))
        };
        let choices: String = rewards.iter().map(choice).collect();
        let head = format!("commonweal-model 1\ndiscounts {discounts}\nstates 1\nchoices {}\n", rewards.len());
        Model::read(format!("{head}{choices}end\n").as_bytes()).expect("a model").swap_remove(0)
    }

    /// If an interval passes, the rival loses at each of its steps, in fractions; if a single step fails, the rival gains there.
    #[test]
    fn an_interval_that_passes_holds_no_step_that_gains() {
        let mut seed = 5u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % below
        };
        let (mut passed, mut failed) = (0, 0);
        for discounts in ["9/10 4/5 1/2", "2/3 1/2 0", "9/10 3/10"] {
            let n = discounts.split(' ').count();
            let rewards: Vec<Vec<i64>> =
                (0..60).map(|_| (0..n).map(|_| random(21) as i64 - 10).collect::<Vec<_>>()).collect();
            let model = model(discounts, &rewards);
            let values = vec![Values::new(vec![0.into()], 1.into()); n];
            let start = (Precision(128), Work::new(u64::MAX));
            let mut checker = Checker::new(&model, start, (30, vec![0]), values, false).expect("work is ample");
            let power = |x: &Fraction, t: u128| (0..t).fold(Fraction::one(), |power, _| power.times(x));
            for (choice, rewards) in rewards.iter().enumerate() {
                let (u, length, y) = (u128::from(random(9)), u128::from(random(9)), random(3));
                // The slack shrinks by λ_0 from the end at step 30 on.
                let slack = Fraction::new(y.into(), 1.into());
                let gains = |t: u128| {
                    let weight = |i: usize| match t {
                        0 => Fraction::one(),
                        _ => power(&model.discounts[i].over(&model.discounts[0]), t),
                    };
                    let terms =
                        rewards.iter().enumerate().map(|(i, &r)| weight(i).times(&Fraction::new(r.into(), 1.into())));
                    let sum = terms.fold(Fraction::zero(), |sum, term| sum.plus(&term));
                    sum.plus(&slack.times(&power(&model.discounts[0], 30 - t))).compare(&Fraction::zero()).is_gt()
                };
                let slack = Precision(128).fraction(&slack).hi;
                let interval = Interval::of(&mut checker, u, u + length, false).expect("work is ample");
                let passes = interval.excess(&mut checker, (0, choice), &slack).expect("work is ample").is_none();
                assert!(!passes || !(u..=u + length).any(gains), "{rewards:?} on [{u}, {}]", u + length);
                assert!(passes || length > 0 || gains(u), "{rewards:?} at {u}");
                (passed, failed) = (passed + usize::from(passes), failed + usize::from(!passes));
            }
        }
        assert!(passed > 40 && failed > 40, "{passed} passed, {failed} failed");
    }

    /// Each of the three tests decides an interval that the other two leave open.
    #[test]
    fn every_test_is_needed() {
        let passes = |rewards: [i64; 3], u: u128, v: u128| {
            let model = model("99/100 49/50 19/20", &[vec![0; 3], rewards.to_vec()]);
            let values = vec![Values::new(vec![0.into()], 1.into()); 3];
            let start = (Precision(128), Work::new(u64::MAX));
            let mut checker = Checker::new(&model, start, (100, vec![0]), values, false).expect("work is ample");
            let interval = Interval::of(&mut checker, u, v, false).expect("work is ample");
            interval.excess(&mut checker, (0, 1), &Float::zero()).expect("work is ample").is_none()
        };
        // Suffix: 1 + ρ_1^42 − 10 ρ_2^42 < 0, but 2 − 10 ρ_2^42 is not.
        assert!(passes([1, 1, -10], 0, 42));
        // Prefix: −11, −12 and 0 at step 0; the last principal alone gains, and −11 − ρ_1^20 + 12 > 0.
        assert!(passes([-11, -1, 12], 0, 20));
        // Monotony: −11 + 12 > 0 at step 0, 12 ρ_1^20 − 12 ρ_2^20 > 0 at step 20, but −11 + 12 − 12 ρ_2^20 < 0.
        assert!(passes([-11, 12, -12], 0, 20));
        // And at 50 the first one gains.
        assert!(!passes([1, 1, -10], 0, 50));
    }
}
