//! The paper's models, and the questions about them.

use commonweal::StopSignal;
use commonweal::internals::evaluation::{Payoffs, evaluate};
use commonweal::internals::exact::solve;
use commonweal::internals::explain::{Deviation, Explanation, explain};
use commonweal::internals::io::read_model;
use commonweal::internals::model::{ChoiceId, Mdp, StateId};
use commonweal::internals::number::{Rational, Value, sum};
use commonweal::internals::strategy::{CountingStrategy, Stationary, Step, Strategy};
use commonweal::{Answer, Options};

macro_rules! paper_model {
    ($name:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/paper/", $name, ".yaml"))
    };
}

pub const HOTEL: &str = paper_model!("hotel");
pub const EXAMPLE_2: &str = paper_model!("example-2");
pub const EXAMPLE_2_WITH_REWARD: &str = paper_model!("example-2-with-1.04");
pub const EXAMPLE_3: &str = paper_model!("example-3");
pub const EXAMPLE_4: &str = paper_model!("example-4");
pub const SPACED_10: &str = paper_model!("spaced-10");
pub const THREE_SAT: &str = paper_model!("three-sat");

/// A model of the paper.
pub fn model(text: &str) -> Mdp {
    read_model(text).expect("the paper's models are valid")
}

/// A model with its solution and the steps that lead to it.
pub struct Solved {
    pub model: Mdp,
    pub solution: Answer,
    pub explanation: Explanation,
}

impl Solved {
    pub fn of(text: &str) -> Solved {
        let model = model(text);
        let solution = solve(&model, &Options::default());
        let explanation = explain(&model, &solution, 0, 0, &StopSignal::default()).expect("nothing stops it");
        Solved { model, solution, explanation }
    }

    /// V_i from the start.
    pub fn value(&self, i: usize) -> Rational {
        exact(self.explanation.values[self.model.start().index()][i].clone())
    }

    pub fn welfare(&self) -> Rational {
        exact(self.solution.welfare(self.model.start()))
    }

    /// The gain over the long-term strategy.
    pub fn gain(&self) -> Rational {
        self.welfare() - exact(self.solution.long_term_welfare(self.model.start()))
    }

    /// The two quantities that the paper calls κ.
    pub fn kappa(&self) -> Vec<(&'static str, Rational)> {
        let number = |step: &Step| Rational::from(step);
        let memory = self.solution.memory(self.model.start());
        vec![("horizon", number(self.solution.horizon())), ("memory", number(memory))]
    }

    /// `s0→b, s1→b`: the actions that the long-term strategy allows.
    pub fn long_term(&self) -> String {
        let of_state = |state: StateId| {
            let allowed = self.solution.long_term_choices(state);
            let names: Vec<_> = allowed.iter().map(|&choice| self.model.action_name(choice)).collect();
            format!("{}→{}", self.model.state_name(state), names.join("|"))
        };
        self.model.states().map(of_state).collect::<Vec<_>>().join(", ")
    }

    /// What the strategy does at step 0, and whether it ever changes: its long-term notation if it never does.
    pub fn positional(&self) -> String {
        let first = |state: StateId| {
            let changes = self.solution.strategy().changes(state);
            let first = format!("{}→{}", self.model.state_name(state), self.model.action_name(changes[0].choice));
            if changes.len() > 1 { format!("{first} at first") } else { first }
        };
        let reached = reached(&self.model, self.solution.strategy());
        reached.into_iter().map(first).collect::<Vec<_>>().join(", ")
    }

    /// `s0→a, s0→b, (s1→b)^ω`: the run from the start, if it is deterministic.
    pub fn run(&self) -> String {
        let strategy = self.solution.strategy();
        let settled = strategy.settled_from();
        let (mut state, mut step) = (self.model.start(), Step::ZERO);
        let mut parts = Vec::new();
        loop {
            let choice = strategy.choice(state, &step);
            let taken = format!("{}→{}", self.model.state_name(state), self.model.action_name(choice));
            let [target] = *self.model.targets(choice) else { return "left to chance".to_owned() };
            if target == state && step >= settled {
                parts.push(format!("({taken})^ω"));
                return parts.join(", ");
            }
            parts.push(taken);
            (state, step) = (target, step + 1);
        }
    }

    pub fn deviation(&self, state: &str, action: &str) -> &Deviation {
        let choice = choice(&self.model, state, action);
        let mut deviations = self.explanation.deviations.iter();
        deviations.find(|deviation| deviation.choice == choice).expect("a deviation of the paper")
    }

    /// D_j of a deviation: what one use at that step changes in all.
    pub fn change(&self, deviation: &Deviation, step: usize) -> Rational {
        let discounts = self.solution.principals().iter().map(|principal| principal.patience.pow(step as isize));
        sum(deviation.advantages.iter().zip(discounts).map(|(advantage, power)| exact(advantage.clone()) * power))
    }
}

/// The states that a strategy reaches from the start, with positive probability, in the model's order.
fn reached(model: &Mdp, strategy: &CountingStrategy) -> Vec<StateId> {
    let mut reached = vec![model.start()];
    let mut next = 0;
    while let Some(&state) = reached.get(next) {
        for change in strategy.changes(state) {
            for &target in model.targets(change.choice) {
                if !reached.contains(&target) {
                    reached.push(target);
                }
            }
        }
        next += 1;
    }
    reached.sort();
    reached
}

/// A choice by its names.
pub fn choice(model: &Mdp, state: &str, action: &str) -> ChoiceId {
    let state = model.find_state(state).expect("a state of the paper");
    model.find_choice(state, action).expect("an action of the paper")
}

/// The exact payoffs of the positional strategy that takes these actions, and elsewhere the only one there is.
pub fn positional(model: &Mdp, actions: &[(&str, &str)]) -> Payoffs {
    let named: Vec<ChoiceId> = actions.iter().map(|(state, action)| choice(model, state, action)).collect();
    let of_state = |state| {
        let mut choices = model.choices(state);
        choices.clone().find(|choice| named.contains(choice)).or(choices.next()).expect("every state has a choice")
    };
    payoffs(model, &Strategy::Counting(CountingStrategy::positional(model.states().map(of_state))))
}

/// The exact payoffs of the stationary strategy that mixes these actions in one state, where others have only one.
pub fn mixed(model: &Mdp, state: &str, actions: &[(&str, Rational)]) -> Payoffs {
    let mixing = model.find_state(state).expect("a state of the paper");
    let of_state = |s| {
        if s == mixing {
            actions.iter().map(|(action, share)| (choice(model, state, action), share.clone())).collect()
        } else {
            vec![(model.choices(s).next().expect("every state has a choice"), Rational::ONE)]
        }
    };
    let mix = model.states().map(of_state).collect();
    payoffs(model, &Strategy::Stationary(Stationary::new(model, mix)))
}

pub fn payoffs(model: &Mdp, strategy: &Strategy) -> Payoffs {
    evaluate(model, strategy, &StopSignal::default()).expect("nothing stops it")
}

/// The exact number that the exact engine gave.
pub fn exact(value: Value) -> Rational {
    value.exact.expect("the exact engine was not stopped")
}
