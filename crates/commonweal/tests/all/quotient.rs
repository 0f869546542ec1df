//! Equivalent states: solved as one, with answers and certificates about the model itself.

use crate::oracle::random::Rng;
use commonweal::internals::certificate::{Certificate, write_canonical};
use commonweal::internals::certified;
use commonweal::internals::exact::solve;
use commonweal::internals::families::{RandomFamily, spaced};
use commonweal::internals::model::{Mdp, ModelBuilder, StateId};
use commonweal::internals::number::Rational;
use commonweal::{Answer, Options};
use commonweal_check::{Meaning, Verdict, WORK, check};

/// Copies of a model side by side, every choice leading to copies of its successors that are drawn at random. The choices
/// keep their order, and have different names in each copy.
fn copies(model: &Mdp, n_copies: usize, rng: &mut Rng) -> Mdp {
    let names: Vec<String> = (0..n_copies * model.n_states()).map(|state| format!("s{state}")).collect();
    let principals = model.principals().to_vec();
    let mut builder = ModelBuilder::new(principals, names.iter().map(String::as_str)).expect("names");
    for copy in 0..n_copies {
        for state in model.states() {
            for choice in model.choices(state) {
                let own = StateId::from(copy * model.n_states() + state.index());
                let row = model.transitions(choice).map(|(target, p)| {
                    (StateId::from(rng.index(n_copies) * model.n_states() + target.index()), p.clone())
                });
                let row: Vec<_> = row.collect();
                let name = format!("c{copy}a{}", choice.index());
                builder.choice(own, &name, model.rewards(choice).to_vec(), row).expect("a choice");
            }
        }
    }
    builder.finish().expect("a model")
}

fn verdict(model: &Mdp, answer: &Answer) -> Verdict {
    let (mut canonical, mut certificate) = (Vec::new(), Vec::new());
    write_canonical(model, &mut canonical).expect("memory takes every byte");
    Certificate::of_mdp(model, answer).expect("kept").write(&mut certificate).expect("memory takes every byte");
    check(&canonical, certificate.as_slice(), WORK).expect("a certificate can be read")
}

/// The paper's family at a million: one copy takes 69 layers, and without the quotient two copies tie at each of 3·10^13 steps.
#[test]
fn copies_of_the_spacing_family_cost_what_one_costs() {
    let single = spaced(&Rational::from(1_000_000)).expect("a model");
    let one = solve(&single, &Options::default());
    let model = copies(&single, 3, &mut Rng::new(5));
    let options = Options { keep_proof: true, ..Options::default() };
    let three = solve(&model, &options);
    assert_eq!(three.n_up_to_symmetry(), Some(3));
    assert_eq!(three.effort(), one.effort());
    assert_eq!(three.horizon(), one.horizon());
    for state in model.states() {
        let own = StateId::from(state.index() % 3);
        let steps = |answer: &Answer, state| answer.strategy().changes(state).iter().map(|c| c.from.clone()).collect();
        let (copied, single): (Vec<_>, Vec<_>) = (steps(&three, state), steps(&one, own));
        assert_eq!(copied, single);
        assert_eq!(three.welfare(state), one.welfare(own));
        assert_eq!(three.memory(state), one.memory(own));
    }
    assert_eq!(verdict(&model, &three), Verdict::Accepted(Meaning::Optimal));
}

#[test]
fn certificates_of_models_with_copies_are_about_all_their_states() {
    let mut rng = Rng::new(11);
    for seed in 0..60 {
        let single = RandomFamily {
            n_states: 2 + seed as usize % 4,
            n_actions: 2,
            n_successors: 1 + seed as usize % 2,
            discounts: vec![Rational::from_quotient(4, 5), Rational::from_quotient(3, 4)],
            max_denominator: 4,
            max_reward: 5,
            seed,
        };
        let single = single.model().expect("a model");
        let model = copies(&single, 2, &mut rng);
        let options = Options { keep_proof: true, ..Options::default() };
        let answer = solve(&model, &options);
        assert!(answer.n_up_to_symmetry().is_some_and(|n| n <= single.n_states()), "seed {seed}");
        let said = verdict(&model, &answer);
        assert!(matches!(said, Verdict::Accepted(_)), "seed {seed}: {said}");
        let doubles = model.to_doubles().expect("doubles");
        let bounds = certified::solve(&doubles, 1e-9, &options);
        assert!(bounds.n_up_to_symmetry().is_some_and(|n| n <= single.n_states()), "seed {seed}");
        let said = verdict(&model, &bounds);
        assert!(matches!(said, Verdict::Accepted(_)), "seed {seed}: {said}");
        // As it is, the model has the same answer.
        let as_it_is = Options { simplify: false, ..options };
        let (plain, plain_bounds) = (solve(&model, &as_it_is), certified::solve(&doubles, 1e-9, &as_it_is));
        assert_eq!((plain.n_up_to_symmetry(), plain_bounds.n_up_to_symmetry()), (None, None), "seed {seed}");
        for state in model.states() {
            let exact = answer.welfare(state);
            assert_eq!(plain.welfare(state), exact, "seed {seed}");
            let (found, exact) = (plain_bounds.welfare_enclosure(state), exact.enclosure);
            assert!(found.lower() <= exact.lower() && exact.upper() <= found.upper(), "seed {seed}");
        }
    }
}
