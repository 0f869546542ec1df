//! What the solver says, in plain vectors.

use super::evaluate::probability_denominator;
use super::plain::{Plain, Q, from_double, from_solver};
use super::reference::Reference;
use commonweal::internals::exact::solve;
use commonweal::internals::model::{ChoiceId, StateId};
use commonweal::internals::number::Value;
use commonweal::internals::strategy::Step;
use commonweal::{Claim, Options};
use num_traits::{ToPrimitive, Zero};

/// One figure of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    pub exact: Option<Q>,
    pub lower: f64,
    pub upper: f64,
}

/// All that an answer states. Choices are positions within their state.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub proven_optimal: bool,
    /// Whether its fractions may be too long to be written out.
    pub may_be_long: bool,
    pub horizon: usize,
    pub welfare: Vec<Figure>,
    pub long_term_welfare: Vec<Figure>,
    /// Per principal of the file and state.
    pub payoffs: Vec<Vec<Figure>>,
    pub memory: Vec<usize>,
    pub long_term: Vec<Vec<usize>>,
    /// Per state, from which step on which choice.
    pub changes: Vec<Vec<(usize, usize)>>,
}

/// The solver's answer for a model.
pub fn ask(plain: &Plain) -> Result<Answer, String> {
    let answer = ask_with(plain, &Options::default());
    if answer.proven_optimal { Ok(answer) } else { Err("the solver stopped before it was done".into()) }
}

/// The solver's answer under limits.
pub fn ask_with(plain: &Plain, options: &Options) -> Answer {
    let model = plain.model();
    let solution = solve(&model, options);
    let states = || model.states();
    let step = |step: &Step| usize::try_from(step).expect("the models of these tests have short horizons");
    let position = |state: StateId, choice: ChoiceId| {
        let position = choice.index().checked_sub(plain.first_choice(state.index()));
        position.filter(|&position| position < plain.states[state.index()].len()).expect("a state's own choice")
    };
    let changes = |state: StateId| {
        let changes = solution.strategy().changes(state).iter();
        changes.map(|change| (step(&change.from), position(state, change.choice))).collect()
    };
    let payoffs = |principal: usize| {
        states().map(|state| Figure::from(solution.payoff(principal.into(), state))).collect::<Vec<Figure>>()
    };
    Answer {
        proven_optimal: solution.claim() == Claim::Optimal,
        may_be_long: may_be_long(plain, step(solution.horizon())),
        horizon: step(solution.horizon()),
        welfare: states().map(|state| solution.welfare(state).into()).collect(),
        long_term_welfare: states().map(|state| solution.long_term_welfare(state).into()).collect(),
        payoffs: (0..plain.principals.len()).map(payoffs).collect(),
        memory: states().map(|state| step(solution.memory(state))).collect(),
        long_term: states()
            .map(|state| solution.long_term_choices(state).iter().map(|&choice| position(state, choice)).collect())
            .collect(),
        changes: states().map(changes).collect(),
    }
}

/// Whether this many steps may make a fraction of more than 2^17 bits: each adds the denominators of a discount and of the
/// probabilities.
fn may_be_long(plain: &Plain, horizon: usize) -> bool {
    let of_discounts = plain.principals.iter().map(|who| who.discount.denom().bits()).max().unwrap_or(0);
    horizon as u64 * (of_discounts + probability_denominator(plain).bits()) > 1 << 17
}

impl From<Value> for Figure {
    fn from(value: Value) -> Figure {
        Figure {
            exact: value.exact.as_ref().map(from_solver),
            lower: value.enclosure.lower(),
            upper: value.enclosure.upper(),
        }
    }
}

impl Answer {
    /// The choice in a state at a step.
    pub fn decision(&self, step: usize, state: usize) -> usize {
        let changes = &self.changes[state];
        changes[changes.partition_point(|(from, _)| *from <= step) - 1].1
    }

    /// The first step from which no state changes its choice any more.
    pub fn settled_from(&self) -> usize {
        self.changes.iter().filter_map(|changes| changes.last()).map(|(from, _)| *from).max().unwrap_or(0)
    }

    /// The choices before the strategy has settled, per step and state.
    pub fn layers(&self) -> Vec<Vec<usize>> {
        let layer = |step| (0..self.changes.len()).map(|state| self.decision(step, state)).collect();
        (0..self.settled_from()).map(layer).collect()
    }

    /// The choices that are held for ever.
    pub fn tail(&self) -> Vec<usize> {
        (0..self.changes.len()).map(|state| self.decision(usize::MAX, state)).collect()
    }

    /// The welfare in fractions.
    pub fn exact_welfare(&self) -> Vec<Q> {
        self.welfare.iter().map(|figure| figure.exact.clone().expect("an exact answer")).collect()
    }

    /// The payoffs in fractions.
    pub fn exact_payoffs(&self) -> Vec<Vec<Q>> {
        let of_principal =
            |row: &Vec<Figure>| row.iter().map(|figure| figure.exact.clone().expect("an exact answer")).collect();
        self.payoffs.iter().map(of_principal).collect()
    }

    /// The answer that a solver ought to give, so that a test can falsify one of its claims at a time.
    pub fn of_reference(reference: &Reference) -> Answer {
        let figures = |values: &[Q]| values.iter().map(Figure::of).collect::<Vec<Figure>>();
        let changes = |state: usize| {
            let steps = (0..=reference.horizon).map(|step| (step, reference.decision(step, state)));
            let mut changes: Vec<(usize, usize)> = steps.collect();
            changes.dedup_by_key(|(_, choice)| *choice);
            changes
        };
        Answer {
            proven_optimal: true,
            may_be_long: false,
            horizon: reference.horizon,
            welfare: figures(&reference.welfare),
            long_term_welfare: figures(&reference.long_term_welfare),
            payoffs: reference.payoffs.iter().map(|values| figures(values)).collect(),
            memory: reference.memory.clone(),
            long_term: reference.long_term.clone(),
            changes: (0..reference.welfare.len()).map(changes).collect(),
        }
    }
}

impl Figure {
    /// A fraction in the tightest enclosure.
    pub fn of(exact: &Q) -> Figure {
        let magnitude = exact.abs();
        // Bits enough for a double, as an integer times a power of two; then walk to the neighbours that enclose it.
        let shift = 62 + magnitude.denom().bits() as i32 - magnitude.numer().bits() as i32;
        let mantissa = if shift >= 0 {
            (magnitude.numer() << shift) / magnitude.denom()
        } else {
            magnitude.numer() / (magnitude.denom() << -shift)
        };
        let mut down = mantissa.to_f64().expect("62 bits fit") * 2f64.powi(-shift / 2) * 2f64.powi(-shift + shift / 2);
        while from_double(down) > magnitude {
            down = down.next_down();
        }
        while from_double(down.next_up()) <= magnitude {
            down = down.next_up();
        }
        let up = if from_double(down) == magnitude { down } else { down.next_up() };
        let (lower, upper) = if *exact < Q::zero() { (-up, -down) } else { (down, up) };
        Figure { exact: Some(exact.clone()), lower, upper }
    }
}
