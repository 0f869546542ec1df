//! Searches that are stopped on the way: soon, and with bounds that hold.

use super::action_box::ActionBox;
use super::doubles::Doubles;
use super::local::Local;
use super::slope::slope_bound;
use super::visit_range::VisitRange;
use super::{Search, SearchOptions, SearchOutcome, positional, stationary};
use crate::evaluation::evaluate;
use crate::model::{Mdp, ModelArrays, NameTable, Preference, Principal};
use crate::number::Rational;
use crate::principals;
use crate::stop::{StopReason, StopSignal};

/// States on a ring, two choices each, three successors nearby, rewards that disagree.
fn ring(n: usize) -> Mdp {
    let patient = Preference::Discount { discount: "99/100".parse().unwrap(), until: None };
    ring_of(n, patient)
}

/// The same, with this preference of the first principal.
fn ring_of(n: usize, patient: Preference) -> Mdp {
    let mut seed = 7u64;
    let mut draw = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let (mut target, mut probability, mut reward) = (Vec::new(), Vec::new(), Vec::new());
    for state in 0..n {
        for _ in 0..2 {
            let first = state + draw(5) as usize;
            let share = 1 + draw(7);
            for (k, tenths) in [(1, share), (2, 1), (3, 9 - share)] {
                if tenths > 0 {
                    target.push(((first + k) % n).into());
                    probability.push(Rational::from_quotient(tenths as i64, 10u64));
                }
            }
            reward.extend((0..2).map(|_| Rational::from(draw(21) as i64 - 10)));
        }
    }
    let choices = |per_state: u32| (0..=n as u32).map(|state| state * per_state).collect();
    let arrays = ModelArrays {
        start: 0.into(),
        principals: vec![
            Principal::stating("patient", patient).unwrap(),
            Principal::new("other", "1/2".parse().unwrap()).unwrap(),
        ],
        state_names: NameTable::numbered(n),
        action_names: NameTable::numbered(2),
        action: [0, 1].repeat(n),
        first_choice: choices(2),
        first_transition: (0..=2 * n as u32).map(|choice| 3 * choice).collect(),
        target,
        probability,
        reward,
    };
    arrays.finish().unwrap()
}

type Ask = fn(&Mdp, &SearchOptions) -> Search;
const BOTH: [(Ask, &str); 2] = [(positional, "positional"), (stationary, "stationary")];

fn stopped_after(model: &Mdp, ask: Ask, polls: i64) -> (Search, i64) {
    let stop = StopSignal::after_polls(polls);
    let options = SearchOptions {
        gap: Some(Rational::from_quotient(1, 100_000_000u64)),
        node_limit: 40,
        stop: stop.clone(),
        ..SearchOptions::default()
    };
    let found = ask(model, &options);
    (found, stop.polls_left())
}

/// Wherever a search is stopped, its bounds hold: the upper one for the best strategy known, the lower one for its own strategy.
#[test]
fn bounds_hold_wherever_a_search_is_stopped_and_it_ends_within_a_few_polls() {
    /// Eight nodes are expanded at a time; each looks a few times until it is left.
    const FEW: i64 = 60;
    let model = ring(250);
    for (ask, name) in BOTH {
        let (best, left) = stopped_after(&model, ask, i64::MAX / 2);
        let in_all = i64::MAX / 2 - left;
        assert!(in_all > 80, "{name} polls {in_all} times");
        let mut widths = Vec::new();
        for part in 0..40 {
            let (found, left) = stopped_after(&model, ask, in_all * part / 40);
            assert!(left >= -FEW, "{name}: {} polls after it was raised", -left);
            assert_eq!(found.outcome, SearchOutcome::Stopped(StopReason::Interrupted), "{name}, part {part}");
            let (lower, upper) = (found.welfare.enclosure.lower(), found.upper);
            assert!(upper >= best.welfare.enclosure.lower(), "{name}: {upper} is below the best strategy");
            let worth = evaluate(&model, &found.strategy, &StopSignal::default()).unwrap().welfare(model.start());
            assert!(lower <= worth.enclosure.upper(), "{name}: {lower} is more than the strategy's {worth}");
            assert!(best.upper >= lower, "{name}: {lower} is more than any strategy earns");
            widths.push(upper - lower);
        }
        assert!(widths[39] < widths[0] / 4.0, "{name}: what was proven by then is kept: {widths:?}");
    }
}

/// The first passes over a large model are left too: the bounds are then those of a few sweeps, not of all of them.
#[test]
fn a_large_model_is_left_during_the_first_sweeps() {
    let model = ring(4_000);
    for (ask, name) in BOTH {
        let (early, left) = stopped_after(&model, ask, 3);
        assert!(left >= -12, "{name}: {} polls after it was raised", -left);
        let (late, _) = stopped_after(&model, ask, 400);
        let width = |search: &Search| search.upper - search.welfare.enclosure.lower();
        assert!(width(&early) > 4.0 * width(&late), "{name}: {} and {}", width(&early), width(&late));
        assert!(early.upper >= late.welfare.enclosure.lower() && late.upper >= early.welfare.enclosure.lower());
    }
}

/// With dozens of discounts the fractions of the setup take long too: it is left as soon, with the bounds of the rewards.
#[test]
fn a_mixture_is_left_while_the_model_is_still_prepared() {
    let number = |text: &str| text.parse::<Rational>().unwrap();
    let gamma = Preference::Gamma { mean: number("1/25"), sd: number("3/100"), error: number("1/1000") };
    let model = ring_of(2_000, gamma);
    for (ask, name) in BOTH {
        let mut widths = Vec::new();
        for polls in [0, 1, 20, 60, 100] {
            let (found, left) = stopped_after(&model, ask, polls);
            assert!(left >= -10, "{name}: {} polls after it was raised", -left);
            assert_eq!(found.outcome, SearchOutcome::Stopped(StopReason::Interrupted), "{name}, {polls}");
            widths.push(found.upper - found.welfare.enclosure.lower());
        }
        // The first ones are before the relaxation, and all bounds those of the rewards: at most 10 at every step, and at least −10.
        assert!(widths[0] == widths[1] && widths[1] == widths[2], "{name}: {widths:?}");
        assert!(widths.iter().all(|width| *width <= widths[0]), "{name}: {widths:?}");
    }
}

/// Random boxes of a small ring, and random mixes of them.
struct Boxes {
    doubles: Doubles,
    seed: u64,
}

impl Boxes {
    fn of(n: usize) -> Boxes {
        Boxes { doubles: Doubles::of(&principals::order(&ring(n)), &StopSignal::default()).unwrap(), seed: 11 }
    }

    fn draw(&mut self, below: u64) -> u64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) % below
    }

    /// Ranges of sixteenths, from single mixes to everything.
    fn within(&mut self) -> ActionBox {
        let mut within = ActionBox::whole(&self.doubles);
        let most = 1 + self.draw(16);
        for state in self.doubles.states() {
            let width = self.draw(most + 1);
            let least = self.draw(17 - width);
            let first = self.doubles.span(state).start;
            within.lower[first] = least as f64 / 16.0;
            within.upper[first] = (least + width) as f64 / 16.0;
            assert!(within.tighten(&self.doubles, state));
        }
        within
    }

    /// A mix of a box; often at its ends.
    fn mix(&mut self, within: &ActionBox) -> Vec<f64> {
        let mut mix = vec![0.0; self.doubles.n_choices];
        for state in self.doubles.states() {
            let first = self.doubles.span(state).start;
            let share = self.draw(9).saturating_sub(2).min(4) as f64 / 4.0;
            mix[first] = within.lower[first] + share * (within.upper[first] - within.lower[first]);
            mix[first + 1] = 1.0 - mix[first];
        }
        mix
    }

    /// The discounted visits of a principal under a mix, followed forwards step by step.
    fn visits(&self, mix: &[f64], i: usize) -> Vec<f64> {
        let doubles = &self.doubles;
        let (mut visits, mut mass) = (vec![0.0; doubles.n_states], vec![0.0; doubles.n_states]);
        mass[doubles.start.index()] = 1.0;
        while mass.iter().sum::<f64>() > 1e-14 {
            let mut next = vec![0.0; doubles.n_states];
            for state in doubles.states() {
                visits[state.index()] += mass[state.index()];
                for choice in doubles.choices(state) {
                    for (target, p) in doubles.row(choice) {
                        next[target.index()] += doubles.discount[i] * mass[state.index()] * mix[choice.index()] * p;
                    }
                }
            }
            mass = next;
        }
        visits
    }

    fn welfare(&self, mix: &[f64]) -> f64 {
        let of_principal = |i: usize| {
            let visits = self.visits(mix, i);
            let paid = |choice: crate::model::ChoiceId| {
                visits[self.doubles.state_of(choice).index()] * mix[choice.index()] * self.doubles.rewards(choice)[i]
            };
            self.doubles.all_choices().map(paid).sum::<f64>()
        };
        (0..self.doubles.n).map(of_principal).sum()
    }
}

/// No mix of a box has visits outside their range, and the ends of the range are attained by mixes of the ends of the box.
#[test]
fn the_visits_of_every_mix_are_in_their_range_which_is_as_narrow_as_can_be() {
    let mut boxes = Boxes::of(6);
    let (stop, everywhere) = (StopSignal::default(), boxes.doubles.states().collect::<Vec<_>>());
    for _ in 0..60 {
        let within = boxes.within();
        let centre = boxes.mix(&within);
        let mixes: Vec<Vec<f64>> = (0..12).map(|_| boxes.mix(&within)).collect();
        let ends = |corner: u32| -> Vec<f64> {
            let of_state = |state: usize| {
                let end = if corner >> state & 1 == 1 { within.upper[2 * state] } else { within.lower[2 * state] };
                [end, 1.0 - end]
            };
            (0..6).flat_map(of_state).collect()
        };
        let local = Local::new(&boxes.doubles, &everywhere, centre, &stop).unwrap();
        let range = VisitRange::of(&boxes.doubles, &within, &local, &stop).unwrap();
        for i in 0..2 {
            for mix in &mixes {
                for (state, visits) in boxes.visits(mix, i).into_iter().enumerate() {
                    let (low, high) = (range.low[i][state], range.high[i][state]);
                    assert!(low <= visits + 1e-11 && visits <= high + 1e-11, "{visits} is not in [{low}, {high}]");
                }
            }
            let all: Vec<Vec<f64>> = (0..1 << 6).map(|corner| boxes.visits(&ends(corner), i)).collect();
            for state in 0..6 {
                let least = all.iter().map(|visits| visits[state]).fold(f64::INFINITY, f64::min);
                let most = all.iter().map(|visits| visits[state]).fold(0.0, f64::max);
                let own = local.visits(i)[state];
                let enough = |end: f64| 0.05 * (end - own).abs() + 2e-4 * own + 1e-9;
                assert!(least - range.low[i][state] <= enough(least), "{} < {least}", range.low[i][state]);
                assert!(range.high[i][state] - most <= enough(most), "{} > {most}", range.high[i][state]);
            }
        }
    }
}

/// No mix of a box, or of a part of it, earns more than the slope bound, also after what is below a cutoff has been taken away.
#[test]
fn no_mix_of_a_box_earns_more_than_its_slope_bound() {
    let mut boxes = Boxes::of(7);
    let (stop, everywhere) = (StopSignal::default(), boxes.doubles.states().collect::<Vec<_>>());
    let (mut narrowed, mut tight) = (0, 0);
    for round in 0..150 {
        let within = boxes.within();
        let centre = boxes.mix(&within);
        let state = everywhere[boxes.draw(7) as usize];
        let mut part = within.clone();
        let first = boxes.doubles.span(state).start;
        part.upper[first] = (part.lower[first] + part.upper[first]) / 2.0;
        assert!(part.tighten(&boxes.doubles, state));
        let mixes: Vec<[Vec<f64>; 2]> = (0..15).map(|_| [boxes.mix(&within), boxes.mix(&part)]).collect();
        let mut local = Local::new(&boxes.doubles, &everywhere, centre, &stop).unwrap();
        local.improve_stationary(&within, 20);
        let found = local.welfare();
        let target = found + 1e-3 * (round % 7) as f64;
        let slope = slope_bound(&boxes.doubles, &within, &local, target, &stop).unwrap();
        tight += usize::from(slope.bound < found + 0.01 * found.abs());
        let mut left = within.clone();
        let cutoff = super::branch_and_bound::Cutoff { least: target, enough: f64::NEG_INFINITY };
        let (dropped, _) = slope.narrow(&boxes.doubles, &mut left, &local, cutoff);
        narrowed += usize::from(dropped.is_some());
        let of_part = slope.of_part(&boxes.doubles, &part, &local, state);
        for [mix, of_the_part] in &mixes {
            let welfare = boxes.welfare(mix);
            assert!(welfare <= slope.bound + 1e-10, "{welfare} is more than {}", slope.bound);
            let is_left = mix.iter().zip(left.lower.iter().zip(&left.upper)).all(|(p, (l, u))| l <= p && p <= u);
            assert!(is_left || welfare <= dropped.unwrap() + 1e-10, "{welfare} was taken away at {dropped:?}");
            assert!(boxes.welfare(of_the_part) <= of_part + 1e-10, "a part earns more than {of_part}");
        }
    }
    assert!(narrowed > 30 && tight > 30, "{narrowed} boxes were narrowed, {tight} bounds are tight");
}
