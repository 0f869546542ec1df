//! The numbers that a stated time preference is made of, each of which can be changed by itself.

use super::preference::{Preference, Schedule};
use crate::number::Rational;

/// A number of a preference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name: the key of the file, or the step or the place of a rate among several, `from 31` or `rate 2`.
    pub name: String,
    /// What it is.
    pub kind: ParameterKind,
    /// The number as it is stated.
    pub value: Rational,
}

/// What a number of a preference is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// A discount or another factor from 0 to 1.
    Factor,
    /// A rate per step.
    Rate,
    /// A number of steps.
    Steps,
    /// A number above 0.
    Number,
}

impl Preference {
    /// Its numbers, in the order in which they are stated; none of arbitrary segments. The error of an approximation is not among
    /// them: it is no preference.
    pub fn parameters(&self) -> Vec<Parameter> {
        let of = |name: &str, kind: ParameterKind, value: &Rational| Parameter {
            name: name.to_owned(),
            kind,
            value: value.clone(),
        };
        let with_end = |first: Parameter, until: &Option<u64>| {
            let end = until.map(|until| of("until", ParameterKind::Steps, &Rational::from(until)));
            [Some(first), end].into_iter().flatten().collect()
        };
        use ParameterKind::{Factor, Number, Rate};
        match self {
            Preference::Discount { discount, until } => with_end(of("discount", Factor, discount), until),
            Preference::Rate { rate, until } => with_end(of("rate", Rate, rate), until),
            Preference::BetaDelta { beta, delta } => vec![of("beta", Factor, beta), of("delta", Factor, delta)],
            Preference::Gamma { mean, sd, .. } => vec![of("mean", Rate, mean), of("sd", Rate, sd)],
            Preference::Hyperbolic { k, hazard, .. } => vec![of("k", Number, k), of("hazard", Rate, hazard)],
            Preference::Schedule(schedule) => {
                schedule.rates().iter().map(|(step, rate)| of(&format!("from {step}"), Rate, rate)).collect()
            }
            Preference::Survey(rates) => {
                rates.iter().enumerate().map(|(at, rate)| of(&format!("rate {}", at + 1), Rate, rate)).collect()
            }
            Preference::Segments(_) => Vec::new(),
        }
    }

    /// The same with another value of one of its [`parameters`](Preference::parameters); `None` if there is none of that name, or
    /// the value is not a number of steps where one is needed. Whether it is a preference is seen when a model takes it.
    pub fn with_parameter(&self, name: &str, value: &Rational) -> Option<Preference> {
        let at = self.parameters().iter().position(|parameter| parameter.name == name)?;
        let mut changed = self.clone();
        match &mut changed {
            Preference::Discount { until, .. } | Preference::Rate { until, .. } if at == 1 => {
                *until = Some(value.to_string().parse().ok()?);
            }
            Preference::Discount { discount: own, .. } | Preference::Rate { rate: own, .. } => *own = value.clone(),
            Preference::BetaDelta { beta: first, delta: second }
            | Preference::Gamma { mean: first, sd: second, .. }
            | Preference::Hyperbolic { k: first, hazard: second, .. } => {
                *(if at == 0 { first } else { second }) = value.clone();
            }
            Preference::Schedule(schedule) => {
                let mut rates = schedule.rates();
                rates[at].1 = value.clone();
                *schedule = Schedule::Rates(rates);
            }
            Preference::Survey(rates) => rates[at] = value.clone(),
            Preference::Segments(_) => unreachable!("it has no parameters"),
        }
        Some(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::parse_rational;

    fn number(text: &str) -> Rational {
        parse_rational(text).unwrap()
    }

    fn all() -> Vec<Preference> {
        let error = number("1/1000000");
        vec![
            Preference::discount(number("2/3")),
            Preference::Discount { discount: number("1"), until: Some(7) },
            Preference::Rate { rate: number("0.03"), until: Some(40) },
            Preference::BetaDelta { beta: number("0.7"), delta: number("0.95") },
            Preference::Gamma { mean: number("0.04"), sd: number("0.03"), error: error.clone() },
            Preference::Hyperbolic { k: number("0.1"), hazard: number("0.01"), error },
            Preference::Schedule(Schedule::GreenBook),
            Preference::Schedule(Schedule::Rates(vec![(0, number("0.03")), (9, number("0.01"))])),
            Preference::Survey(vec![number("0.01"), number("0.01"), number("0.05")]),
        ]
    }

    #[test]
    fn each_parameter_changes_alone() {
        for preference in all() {
            let before = preference.parameters();
            for (at, parameter) in before.iter().enumerate() {
                let other = if parameter.kind == ParameterKind::Steps { number("12") } else { number("0.02") };
                let changed = preference.with_parameter(&parameter.name, &other).unwrap();
                let after = changed.parameters();
                assert_eq!(after.len(), before.len(), "{preference}");
                for (index, (new, old)) in after.iter().zip(&before).enumerate() {
                    assert_eq!((&new.name, new.kind), (&old.name, old.kind), "{preference}");
                    assert_eq!(&new.value, if index == at { &other } else { &old.value }, "{preference}");
                }
                assert!(changed.resolve().is_ok() || parameter.name == "mean", "{changed}");
                let same = preference.with_parameter(&parameter.name, &parameter.value).unwrap();
                assert_eq!(same.resolve().unwrap(), preference.resolve().unwrap(), "{preference}");
            }
            assert_eq!(preference.with_parameter("patience", &number("1/2")), None);
        }
        let until = Preference::Discount { discount: number("1/2"), until: Some(3) };
        assert_eq!(until.with_parameter("until", &number("5/2")), None);
        // What a file refuses, the model refuses.
        let later = |steps: &str| until.with_parameter("until", &number(steps)).unwrap().resolve().map(|_| ());
        assert_eq!(later("9007199254740991"), Ok(()));
        assert!(later("9007199254740992").unwrap_err().message.contains("2^53"));
    }
}
