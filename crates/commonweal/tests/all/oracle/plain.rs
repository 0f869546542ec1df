//! A model as plain vectors, with a one-line-per-choice notation.

use commonweal::internals::model::{Mdp, ModelBuilder, Principal};
use commonweal::internals::number::Rational;
use num_bigint::{BigInt, Sign};
use num_traits::{One, ToPrimitive, Zero};
use std::fmt;

pub use super::fraction::Q;

/// `numerator / denominator`.
pub fn q(numerator: i64, denominator: i64) -> Q {
    Q::new(numerator.into(), denominator.into())
}

#[derive(Debug, Clone, PartialEq)]
pub struct Who {
    pub name: String,
    pub discount: Q,
    pub weight: Q,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    pub name: String,
    /// One reward per principal, before the weight.
    pub rewards: Vec<Q>,
    pub to: Vec<(usize, Q)>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Plain {
    pub principals: Vec<Who>,
    pub names: Vec<String>,
    /// The choices of each state.
    pub states: Vec<Vec<Choice>>,
}

impl Plain {
    /// A model from its notation: principals as `discount*weight` (the weight may be left out), choices as
    /// `state action reward,reward -> target:probability target:probability`. One reward goes to every principal, a
    /// target alone has probability 1.
    pub fn parse(principals: &str, lines: &[&str]) -> Plain {
        let number = |text: &str| text.parse::<Q>().unwrap_or_else(|_| panic!("`{text}` is no fraction"));
        let who = |(index, text): (usize, &str)| {
            let (discount, weight) = text.split_once('*').unwrap_or((text, "1"));
            Who { name: format!("p{index}"), discount: number(discount), weight: number(weight) }
        };
        let principals: Vec<Who> = principals.split_whitespace().enumerate().map(who).collect();
        let mut names: Vec<String> = Vec::new();
        for line in lines {
            let state = line.split_whitespace().next().expect("a line names its state");
            if !names.iter().any(|name| name == state) {
                names.push(state.to_owned());
            }
        }
        let find = |state: &str| names.iter().position(|name| name == state).expect("a target is a state");
        let mut states = vec![Vec::new(); names.len()];
        for line in lines {
            let (left, right) = line.split_once("->").expect("an arrow");
            let [state, action, rewards] = left.split_whitespace().collect::<Vec<_>>()[..] else {
                panic!("`{left}` is not `state action rewards`");
            };
            let mut rewards: Vec<Q> = rewards.split(',').map(number).collect();
            if rewards.len() == 1 {
                rewards = vec![rewards[0].clone(); principals.len()];
            }
            let to = right.split_whitespace().map(|text| {
                let (target, probability) = text.split_once(':').unwrap_or((text, "1"));
                (find(target), number(probability))
            });
            states[find(state)].push(Choice { name: action.to_owned(), rewards, to: to.collect() });
        }
        Plain { principals, names, states }
    }

    /// What the accessors of a model say.
    pub fn of(model: &Mdp) -> Plain {
        let who = |principal: &Principal| Who {
            name: principal.name.clone(),
            discount: from_solver(principal.discount().expect("one discount")),
            weight: from_solver(&principal.weight),
        };
        let choice = |choice| Choice {
            name: model.action_name(choice).into_owned(),
            rewards: model.rewards(choice).iter().map(from_solver).collect(),
            to: model.transitions(choice).map(|(target, p)| (target.index(), from_solver(p))).collect(),
        };
        Plain {
            principals: model.principals().iter().map(who).collect(),
            names: model.states().map(|state| model.state_name(state).into_owned()).collect(),
            states: model.states().map(|state| model.choices(state).map(choice).collect()).collect(),
        }
    }

    pub fn model(&self) -> Mdp {
        let principal = |who: &Who| {
            let principal = Principal::new(who.name.clone(), to_solver(&who.discount)).expect("a discount");
            principal.weighted(to_solver(&who.weight))
        };
        let principals = self.principals.iter().map(principal).collect();
        let mut builder = ModelBuilder::new(principals, self.names.iter().map(String::as_str)).expect("a valid model");
        for (state, choices) in self.states.iter().enumerate() {
            for choice in choices {
                let to = choice.to.iter().map(|(target, p)| ((*target).into(), to_solver(p)));
                builder
                    .choice(state.into(), &choice.name, choice.rewards.iter().map(to_solver), to)
                    .expect("a valid model");
            }
        }
        builder.finish().expect("a valid model")
    }

    /// The position of a state's first choice among all choices.
    pub fn first_choice(&self, state: usize) -> usize {
        self.states[..state].iter().map(Vec::len).sum()
    }

    /// All pairs of a state and the position of one of its choices.
    pub fn choices(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.states.len()).flat_map(|state| (0..self.states[state].len()).map(move |choice| (state, choice)))
    }

    /// What keeps this from being a model; the shrinker asks.
    pub fn is_valid(&self) -> bool {
        let sums_to_one = |choice: &Choice| {
            choice.to.iter().all(|(_, p)| p.is_positive())
                && choice.to.iter().fold(Q::zero(), |sum, (_, p)| sum + p).is_one()
        };
        !self.states.is_empty()
            && !self.principals.is_empty()
            && self.states.iter().all(|choices| !choices.is_empty() && choices.iter().all(sums_to_one))
    }
}

/// The notation that [`Plain::parse`] reads, as code.
impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let who = |who: &Who| {
            if who.weight.is_one() { who.discount.to_string() } else { format!("{}*{}", who.discount, who.weight) }
        };
        let principals: Vec<String> = self.principals.iter().map(who).collect();
        writeln!(f, "Plain::parse(\"{}\", &[", principals.join(" "))?;
        for (state, position) in self.choices() {
            let choice = &self.states[state][position];
            let rewards: Vec<String> = choice.rewards.iter().map(Q::to_string).collect();
            write!(f, "    \"{} {} {} ->", self.names[state], choice.name, rewards.join(","))?;
            for (target, p) in &choice.to {
                write!(f, " {}:{p}", self.names[*target])?;
            }
            writeln!(f, "\",")?;
        }
        write!(f, "])")
    }
}

/// The same fraction in this library.
pub fn from_solver(number: &Rational) -> Q {
    let (numerator, denominator) = number.to_le_bytes();
    Q::new(BigInt::from_signed_bytes_le(&numerator), BigInt::from_bytes_le(Sign::Plus, &denominator))
}

/// The same fraction in the solver's library.
pub fn to_solver(number: &Q) -> Rational {
    let (numerator, denominator) = (number.numer().to_signed_bytes_le(), number.denom().magnitude().to_bytes_le());
    Rational::from_le_bytes(&numerator, &denominator).expect("a denominator is not 0")
}

/// A double near a fraction of ordinary size.
pub fn approximately(x: &Q) -> f64 {
    // Both parts may be past the largest double.
    let excess = x.numer().bits().max(x.denom().bits()).saturating_sub(1000);
    let part = |x: &BigInt| (x >> excess).to_f64().unwrap_or(f64::NAN);
    part(x.numer()) / part(x.denom())
}

/// The fraction that a finite double is.
pub fn from_double(x: f64) -> Q {
    assert!(x.is_finite());
    let bits = x.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i64, bits & ((1 << 52) - 1));
    let (mantissa, power) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    let magnitude = if power >= 0 {
        Q::from(BigInt::from(mantissa) << power as usize)
    } else {
        Q::new(mantissa.into(), BigInt::one() << (-power) as usize)
    };
    if x < 0.0 { -magnitude } else { magnitude }
}
