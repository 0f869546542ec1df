//! The bounds hold for any values and strategy: here these are wrong on purpose.

use super::*;
use crate::families::{RandomFamily, Seeded};
use crate::model::{ModelArrays, StateId};
use crate::number::parse_rational;
use crate::stop::StopSignal;

/// Small random models with rewards and discounts of all sizes.
fn models() -> impl Iterator<Item = Mdp> {
    let discounts =
        ["0.9999,0.9,0.3", "0.99,0.98999", "2/3,1/3", "0.95,0.8,0.65,0.5,0.35,0.2", "1/2,0", "0.9", "0.9,0.9,0.4"];
    (0..210).map(move |seed| {
        let parsed = |text: &str| parse_rational(text).expect("a number");
        RandomFamily {
            n_states: 2 + seed as usize % 5,
            n_actions: 2 + seed as usize % 2,
            n_successors: 1 + seed as usize % 3,
            discounts: discounts[seed as usize % discounts.len()].split(',').map(parsed).collect(),
            max_denominator: 12,
            max_reward: 10u64.pow(seed as u32 % 13),
            seed,
        }
        .model()
        .expect("a valid model")
    })
}

/// The model in doubles, with the exact welfare of every state.
fn solved(model: &Mdp) -> (Mdp<f64>, Vec<Enclosure>) {
    let exact = crate::exact::solve(model, &Options::default());
    assert_eq!(exact.claim(), Claim::Optimal);
    let welfare = model.states().map(|state| exact.welfare_enclosure(state)).collect();
    (model.to_doubles().expect("ordinary rewards"), welfare)
}

fn assert_inside(welfare: &[Enclosure], solution: &Answer, what: &str) {
    for (state, exact) in welfare.iter().enumerate() {
        let bounds = solution.welfare_enclosure(state.into());
        assert!(bounds.lower() <= exact.lower() && exact.upper() <= bounds.upper(), "{what}: {exact:?} in {bounds:?}");
    }
}

#[test]
fn spoilt_values_widen_the_interval_and_never_make_it_false() {
    let mut random = Seeded::new(7);
    let (mut wider, mut all) = (0, 0);
    for model in models() {
        let (doubles, welfare) = solved(&model);
        let rounded = RoundedModel::new(SharedModel::whole(&doubles), principals::parts(doubles.principals()));
        let options = Options { limits: Limits::of_layers(20_000), ..Options::default() };
        for spoil in 0..6 {
            let mut long_term = long_term::solve(&rounded, 1e-9, &options.stop);
            let mut unit = || (random.bits() >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
            let scale = long_term.values.iter().fold(1.0f64, |scale, value| scale.max(value.abs()));
            match spoil {
                0 => long_term.values.iter_mut().for_each(|value| *value = 0.0),
                1 => long_term.values.iter_mut().for_each(|value| *value += 1e-3 * scale * unit()),
                2 => long_term.values.iter_mut().for_each(|value| *value = 1e3 * scale * unit()),
                3 => long_term.constants.iter_mut().for_each(|constant| *constant += scale * unit()),
                4 => long_term.values[0] = f64::NAN,
                _ => {
                    // The strategy too: the last choice of every state.
                    let ends = &rounded.arrays.first_choice[1..];
                    long_term.strategy.iter_mut().zip(ends).for_each(|(choice, end)| *choice = ChoiceId::at(end - 1));
                }
            }
            let Round { answer: solution, .. } = prove(&rounded, long_term, Aim { gap: 1e-9, aim: 1e-9 }, &options);
            assert_inside(&welfare, &solution, &format!("spoilt by {spoil}"));
            wider += usize::from(!solution.claim().is_within());
            all += 1;
        }
    }
    assert!(wider > all / 4, "spoiling {all} values spoilt only {wider} intervals");
}

#[test]
fn jumps_and_plain_layers_agree_within_their_bounds() {
    let mut jumped = 0;
    for seed in 0..40 {
        let parsed = |text: &str| parse_rational(text).expect("a number");
        let discounts = [["0.999", "0.9989"], ["0.9995", "0.999"], ["0.9999", "0.5"]][seed as usize % 3];
        let family = RandomFamily {
            n_states: 4 + seed as usize % 9,
            n_actions: 2,
            n_successors: 3,
            discounts: discounts.iter().map(|text| parsed(text)).collect(),
            max_denominator: 20,
            max_reward: 50,
            seed,
        };
        let model = family.model().expect("a valid model");
        let (doubles, welfare) = solved(&model);
        let with = |jumps: bool| solve(&doubles, 1e-7, &Options { jumps, ..Options::default() });
        let (jumping, walking) = (with(true), with(false));
        assert!(jumping.claim().is_within() && walking.claim().is_within());
        assert_inside(&welfare, &jumping, "jumping");
        assert_inside(&welfare, &walking, "walking");
        assert!(jumping.effort().n_layers <= walking.effort().n_layers);
        jumped += usize::from(jumping.effort().n_jumps > 0);
        // Exact payoffs of long strategies take their time.
        if seed >= 3 {
            continue;
        }
        let evaluated = crate::evaluation::evaluate(
            &model,
            &crate::strategy::Strategy::Counting(jumping.strategy().clone()),
            &StopSignal::default(),
        );
        let earned = evaluated.expect("a strategy of less than a million steps");
        for (p, state) in (0..2).flat_map(|p| model.states().map(move |state| (PrincipalId::from(p), state))) {
            let (truth, bounds) = (earned.payoff(p, state).enclosure, jumping.payoff(p, state).enclosure);
            assert!(bounds.lower() <= truth.lower() && truth.upper() <= bounds.upper(), "{truth:?} in {bounds:?}");
        }
    }
    assert!(jumped > 20, "only {jumped} models were jumped over");
}

/// The model with a penalty beside each choice of some states: the reward less `penalty(seeded, i)` for part i, and another row.
fn with_penalties(model: &Mdp, random: &mut Seeded, penalty: impl Fn(&mut Seeded, usize) -> i64) -> Mdp {
    let whole = ModelArrays::of(model);
    let (n, n_states) = (model.n_principals(), model.n_states() as u64);
    let mut arrays = ModelArrays {
        action: Vec::new(),
        first_choice: vec![0],
        first_transition: vec![0],
        target: Vec::new(),
        probability: Vec::new(),
        reward: Vec::new(),
        ..ModelArrays::of(model)
    };
    for state in model.states() {
        for choice in model.choices(state) {
            arrays.action.push(whole.action[choice.index()]);
            arrays.reward.extend_from_slice(model.rewards(choice));
            arrays.target.extend_from_slice(model.targets(choice));
            arrays.probability.extend_from_slice(model.probabilities(choice));
            arrays.first_transition.push(arrays.target.len() as u32);
            if random.bits().is_multiple_of(3) {
                let own = model.rewards(choice).iter().enumerate().take(n);
                let rewards: Vec<Rational> = own.map(|(i, own)| own - Rational::from(penalty(random, i))).collect();
                arrays.action.push(arrays.action_names.intern("pay") as u32);
                arrays.reward.extend(rewards);
                arrays.target.push(StateId::from((random.bits() % n_states) as usize));
                arrays.probability.push(Rational::ONE);
                arrays.first_transition.push(arrays.target.len() as u32);
            }
        }
        arrays.first_choice.push(arrays.action.len() as u32);
    }
    arrays.finish().expect("a valid model")
}

/// Penalties of all sizes, which pay for some and not for others: whatever is left out, the exact welfare is inside the bounds,
/// and what is left out is no choice of the exact answer.
#[test]
fn choices_that_are_left_out_are_never_taken() {
    let mut random = Seeded::new(11);
    let (mut n_smaller, mut n_penalties, mut n_within) = (0, 0, 0);
    for seed in 0..1_000u64 {
        let discounts = [&["0.9", "0.5"][..], &["0.8", "0.3", "0.1"], &["0.5"], &["0.99", "0.9"], &["0.6", "0.6", "0"]];
        let family = RandomFamily {
            n_states: 2 + seed as usize % 6,
            n_actions: 2,
            n_successors: 1 + seed as usize % 3,
            discounts: discounts[seed as usize % 5]
                .iter()
                .map(|text| parse_rational(text).expect("a number"))
                .collect(),
            max_denominator: 12,
            max_reward: 3,
            seed,
        };
        let size = 10u64.pow(1 + seed as u32 % 4);
        let model = with_penalties(&family.model().expect("a valid model"), &mut random, |random, _| {
            let size = (random.bits() % size) as i64;
            if random.bits().is_multiple_of(8) { -size / 100 } else { size }
        });
        let (doubles, welfare) = solved(&model);
        let solution = solve(&doubles, 1e-9, &Options::default());
        assert_inside(&welfare, &solution, &format!("seed {seed}"));
        n_within += usize::from(solution.claim().is_within());
        n_penalties += model.n_choices();
        let Some(smaller) = WithoutDominated::of(&doubles) else { continue };
        n_penalties -= smaller.model.n_choices();
        n_smaller += 1;
        let exact = crate::exact::solve(&model, &Options::default());
        for state in model.states() {
            let taken = exact.strategy().changes(state).iter().map(|change| change.choice);
            assert!(
                taken.chain(exact.long_term_choices(state).iter().copied()).all(|own| smaller.choice.contains(&own))
            );
        }
    }
    // Where only states that are never met earn much, their rounding errors exceed the gap.
    assert!(n_within > 990 && n_smaller > 100 && n_penalties > 1_000, "{n_within} {n_smaller} {n_penalties}");
}

/// One penalty that nobody would pay does not cost the precision of all other states.
#[test]
fn a_penalty_that_nobody_pays_widens_nothing() {
    let family = RandomFamily {
        n_states: 2_000,
        n_actions: 3,
        n_successors: 3,
        discounts: ["0.99", "0.9"].map(|text| parse_rational(text).expect("a number")).to_vec(),
        max_denominator: 12,
        max_reward: 10,
        seed: 3,
    };
    let plain = family.model().expect("a valid model");
    let penalised =
        with_penalties(&plain, &mut Seeded::new(5), |_, _| 1_000_000_000_000).to_doubles().expect("ordinary rewards");
    let options = Options::default();
    let without = solve_up_to_symmetry(&penalised, 1e-9, &options);
    assert_eq!(without.claim(), Claim::Stopped(StopReason::Precision));
    let [found, of_plain] =
        [&penalised, &plain.to_doubles().expect("ordinary rewards")].map(|model| solve(model, 1e-9, &options));
    assert!(found.claim().is_within(), "{:?}", found.claim());
    for state in plain.states() {
        assert_eq!(found.welfare_enclosure(state), of_plain.welfare_enclosure(state));
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let family = RandomFamily {
        n_states: 20_000,
        n_actions: 3,
        n_successors: 4,
        discounts: ["0.99", "0.9", "0.5"].iter().map(|text| parse_rational(text).expect("a number")).collect(),
        max_denominator: 50,
        max_reward: 100,
        seed: 5,
    };
    let model = family.model().expect("a valid model").to_doubles().expect("ordinary rewards");
    let with = |threads: usize| parallel::on_threads(Some(threads), || solve(&model, 1e-9, &Options::default()));
    let (one, three) = (with(1), with(3));
    assert!(one.claim().is_within());
    assert_eq!(one.strategy(), three.strategy());
    for state in model.states() {
        assert_eq!(one.welfare(state), three.welfare(state));
        assert_eq!(one.memory(state), three.memory(state));
        for p in (0..model.n_principals()).map(PrincipalId::from) {
            assert_eq!(one.payoff(p, state), three.payoff(p, state));
        }
    }
}
