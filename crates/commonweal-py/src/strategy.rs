//! Strategies: what is done in each state at each step.

use crate::error::Refusal;
use crate::model::PyModel;
use commonweal::documents::{self, Document};
use commonweal::strategies::CountingStrategy;
use commonweal::structure::ChoiceId;
use commonweal::{Model, Rational, Step, Strategy};
use numpy::PyArray1;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A strategy for a model.
#[pyclass(frozen, name = "Strategy", module = "commonweal._core")]
pub struct PyStrategy {
    /// The model that it is for.
    pub model: Arc<Model>,
    /// The strategy itself.
    pub strategy: Arc<Strategy>,
}

impl PyStrategy {
    /// A strategy for this model.
    pub fn new(strategy: impl Into<Strategy>, model: Arc<Model>) -> PyStrategy {
        PyStrategy { model, strategy: Arc::new(strategy.into()) }
    }

    fn counting(&self) -> PyResult<&CountingStrategy> {
        match &*self.strategy {
            Strategy::Counting(counting) => Ok(counting),
            _ => Err(PyTypeError::new_err("only a counting strategy has one action for each state and step")),
        }
    }

    fn check(&self, state: usize) -> PyResult<()> {
        if state < self.model.n_states() { Ok(()) } else { Err(PyIndexError::new_err("no such state")) }
    }

    /// The name of a choice's action, and its position among its state's.
    fn told(&self, choice: ChoiceId) -> (String, usize) {
        let structure = self.model.structure();
        let first = structure.choices(structure.state_of(choice)).next().expect("a state has a choice");
        (structure.action_name(choice).into_owned(), choice.index() - first.index())
    }
}

/// A step of any length, from its digits.
fn step(digits: &str) -> PyResult<Step> {
    digits.parse().map_err(|error: commonweal::strategies::StepError| PyValueError::new_err(error.to_string()))
}

#[pymethods]
impl PyStrategy {
    /// The strategy that a JSON text describes. `name` is what messages call the text.
    #[staticmethod]
    fn from_json(py: Python<'_>, model: &PyModel, text: &str, name: &str) -> PyResult<PyStrategy> {
        let read = model.0.read_strategy(text.as_bytes());
        let strategy = read.map_err(|error| Refusal::of_text(&error, name, text).raise(py, "StrategyError"))?;
        Ok(PyStrategy::new(strategy, Arc::clone(&model.0)))
    }

    /// `counting`, `stationary` or `lottery`.
    #[getter]
    fn kind(&self) -> &'static str {
        match &*self.strategy {
            Strategy::Counting(_) => "counting",
            Strategy::Stationary(_) => "stationary",
            Strategy::Lottery(_) => "lottery",
        }
    }

    /// The action that a counting strategy takes at a step: its name, and its position among the state's.
    fn action(&self, state: usize, digits: &str) -> PyResult<(String, usize)> {
        self.check(state)?;
        Ok(self.told(self.counting()?.choice(state.into(), &step(digits)?)))
    }

    /// What a counting strategy does in a state: from which step on which action.
    fn decisions(&self, state: usize) -> PyResult<Vec<(String, String)>> {
        self.check(state)?;
        let changes = self.counting()?.changes(state.into()).iter();
        Ok(changes.map(|change| (change.from.to_string(), self.told(change.choice).0)).collect())
    }

    /// The steps at which a counting strategy changes in some state, and step 0, in order.
    fn change_steps(&self) -> PyResult<Vec<String>> {
        let counting = self.counting()?;
        let states = self.model.structure().states();
        let steps: BTreeSet<&Step> =
            states.flat_map(|state| counting.changes(state)).map(|change| &change.from).collect();
        Ok(steps.into_iter().map(Step::to_string).collect())
    }

    /// The position of the action that a counting strategy takes at a step, among its state's, for every state.
    fn positions<'py>(&self, py: Python<'py>, digits: &str) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let (counting, step, structure) = (self.counting()?, step(digits)?, self.model.structure());
        let mut first = 0;
        let position = |state| {
            let (own, begins) = (counting.choice(state, &step).index(), first);
            first += structure.choices(state).len();
            (own - begins) as i64
        };
        Ok(PyArray1::from_vec(py, structure.states().map(position).collect()))
    }

    /// The actions that a stationary strategy mixes in a state, with their probabilities as fractions.
    fn mix(&self, state: usize) -> PyResult<Vec<(String, String)>> {
        self.check(state)?;
        let Strategy::Stationary(stationary) = &*self.strategy else {
            return Err(PyTypeError::new_err("only a stationary strategy mixes actions"));
        };
        let told = |(choice, share): &(ChoiceId, Rational)| (self.told(*choice).0, share.to_string());
        Ok(stationary.mix(state.into()).iter().map(told).collect())
    }

    /// The strategies of a lottery, with their probabilities as fractions.
    fn shares(&self) -> PyResult<Vec<(String, PyStrategy)>> {
        let Strategy::Lottery(lottery) = &*self.strategy else {
            return Err(PyTypeError::new_err("only a lottery has shares"));
        };
        let share = |(probability, counting): &(Rational, CountingStrategy)| {
            (probability.to_string(), PyStrategy::new(counting.clone(), Arc::clone(&self.model)))
        };
        Ok(lottery.shares().iter().map(share).collect())
    }

    /// The document that programs exchange.
    fn to_json(&self) -> String {
        documents::Strategy::new(self.model.structure(), &self.strategy).to_json()
    }
}
