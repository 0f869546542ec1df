//! What a solve returns.

use crate::ask::{Otherwise, ask, ask_or};
use crate::error::Refusal;
use crate::limits::Limits;
use crate::strategy::PyStrategy;
use commonweal::answers::{Method, NoCertificate};
use commonweal::documents::{self, Document, Entries, Number, Status, listed_states};
use commonweal::limits::StopReason;
use commonweal::questions::{Play, alternatives, key, own_best};
use commonweal::structure::{PrincipalId, StateId};
use commonweal::{Answer, Claim, Model, Options, StopSignal, Value, solve};
use commonweal_charts::{Timeline, TimelineRow};
use numpy::PyArray1;
use pyo3::prelude::*;
use serde::Serialize;
use std::sync::Arc;

/// A strategy with what it earns, for every start state.
#[pyclass(frozen, name = "Answer", module = "commonweal._core")]
pub struct PyAnswer {
    model: Arc<Model>,
    answer: Arc<Answer>,
    keeps_proof: bool,
}

/// What is known of one start state, for `json.loads`.
#[derive(Serialize)]
struct Numbers {
    welfare: Number,
    long_term_welfare: Number,
    payoffs: Entries<Number>,
    long_term_payoffs: Entries<Number>,
    memory: documents::StepNumber,
    long_term_actions: Vec<String>,
}

/// Two ends of each of many numbers.
type Bounds<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

impl PyAnswer {
    /// The answer of a model, which may have kept its proof.
    pub fn new(answer: Answer, model: Arc<Model>, keeps_proof: bool) -> PyAnswer {
        PyAnswer { model, answer: Arc::new(answer), keeps_proof }
    }

    /// By the name of each principal.
    fn each(model: &Model, of: impl Fn(PrincipalId) -> Value) -> Entries<Number> {
        let named = |(p, principal): (usize, &commonweal::structure::Principal)| {
            (principal.name.clone(), Number::from(of(p.into())))
        };
        model.principals().iter().enumerate().map(named).collect()
    }
}

#[pymethods]
impl PyAnswer {
    /// `optimal`, `within gap`, `undecided` or `stopped`, and the reason of the last two.
    #[getter]
    fn status(&self) -> (&'static str, Option<String>) {
        Status::in_a_word(&self.answer)
    }

    /// `exact` or `certified`.
    #[getter]
    fn engine(&self) -> &'static str {
        match self.answer.method() {
            Method::Exact => "exact",
            Method::Certified { .. } => "certified",
        }
    }

    /// What a gap is relative to, of a certified answer.
    #[getter]
    fn scale(&self) -> Option<f64> {
        self.answer.scale()
    }

    /// The horizon, in digits.
    #[getter]
    fn horizon(&self) -> String {
        self.answer.horizon().to_string()
    }

    /// Whether the strategy of the tail is proven to be the long-term one.
    #[getter]
    fn long_term_is_proven(&self) -> bool {
        self.answer.long_term_is_proven()
    }

    /// Seconds for the long-term strategy, and for everything after it.
    #[getter]
    fn timings(&self) -> (f64, f64) {
        let timings = self.answer.timings();
        (timings.long_term.as_secs_f64(), timings.unravel.as_secs_f64())
    }

    /// The strategy.
    #[getter]
    fn strategy(&self) -> PyStrategy {
        PyStrategy::new(self.answer.strategy().clone(), Arc::clone(&self.model))
    }

    /// What is known of one start state, as JSON.
    fn numbers(&self, py: Python<'_>, state: usize) -> PyResult<String> {
        let (model, answer) = (Arc::clone(&self.model), Arc::clone(&self.answer));
        // Reducing long fractions to lowest terms is slow.
        ask(py, Some(1), &StopSignal::default(), move || {
            let state = StateId::from(state);
            let structure = model.structure();
            let numbers = Numbers {
                welfare: answer.welfare(state).into(),
                long_term_welfare: answer.long_term_welfare(state).into(),
                payoffs: PyAnswer::each(&model, |p| answer.payoff(p, state)),
                long_term_payoffs: PyAnswer::each(&model, |p| answer.long_term_payoff(p, state)),
                memory: documents::StepNumber(answer.memory(state).clone()),
                long_term_actions: answer
                    .long_term_choices(state)
                    .iter()
                    .map(|&choice| structure.action_name(choice).into_owned())
                    .collect(),
            };
            serde_json::to_string(&numbers).expect("numbers are JSON")
        })
    }

    /// Bounds of the welfare from every state.
    fn welfare_bounds<'py>(&self, py: Python<'py>) -> Bounds<'py> {
        let ends = self.model.structure().states().map(|state| {
            let enclosure = self.answer.welfare_enclosure(state);
            (enclosure.lower(), enclosure.upper())
        });
        let (lower, upper): (Vec<f64>, Vec<f64>) = ends.unzip();
        (PyArray1::from_vec(py, lower), PyArray1::from_vec(py, upper))
    }

    /// Bounds of a principal's payoff from every state.
    fn payoff_bounds<'py>(&self, py: Python<'py>, principal: usize) -> Bounds<'py> {
        let ends = self.model.structure().states().map(|state| {
            let enclosure = self.answer.payoff(principal.into(), state).enclosure;
            (enclosure.lower(), enclosure.upper())
        });
        let (lower, upper): (Vec<f64>, Vec<f64>) = ends.unzip();
        (PyArray1::from_vec(py, lower), PyArray1::from_vec(py, upper))
    }

    /// What each principal would get if the agent served nobody else, as JSON.
    fn own_best(&self, py: Python<'_>, threads: Option<usize>) -> PyResult<String> {
        let (model, answer, stop) = (Arc::clone(&self.model), Arc::clone(&self.answer), StopSignal::default());
        let asked = stop.clone();
        ask(py, threads, &stop, move || {
            let own = own_best(&model, &answer, &asked);
            let entries = PyAnswer::each(&model, |p| own[p.index()].clone());
            serde_json::to_string(&entries).expect("numbers are JSON")
        })
    }

    /// The document that `solve --json` prints.
    fn document(&self, py: Python<'_>, all_states: bool, checked: bool, threads: Option<usize>) -> PyResult<String> {
        let (model, answer, stop) = (Arc::clone(&self.model), Arc::clone(&self.answer), StopSignal::default());
        let asked = stop.clone();
        ask(py, threads, &stop, move || {
            let structure = model.structure();
            let own = own_best(&model, &answer, &asked);
            let mut document =
                documents::Solution::new(structure, &answer, &own, &listed_states(structure, all_states), checked);
            document.set_alternatives(structure, &alternatives(&model, &answer, &asked));
            document.to_json()
        })
    }

    /// The proof for a separate checker, or why it was stopped. Solves again if the answer has not kept it.
    fn certificate(
        &self,
        py: Python<'_>,
        precision: Option<u32>,
        limits: Limits,
    ) -> PyResult<(Option<Vec<u8>>, Option<String>)> {
        let (model, answer, keeps_proof) = (Arc::clone(&self.model), Arc::clone(&self.answer), self.keeps_proof);
        let stop = limits.stop(py)?;
        let asked = stop.clone();
        let interrupted: Vec<Otherwise<_>> = vec![Box::new(|| Some(Ok(Err(StopReason::Interrupted))))];
        let written = ask_or(py, limits.threads, &stop, interrupted, move || {
            let again;
            let answer = if keeps_proof {
                &*answer
            } else {
                let options =
                    Options { engine: engine_of(&answer), keep_proof: true, stop: asked.clone(), ..Options::default() };
                again = solve(&model, &options);
                if let Claim::Stopped(reason @ (StopReason::Interrupted | StopReason::TimeLimit)) = again.claim() {
                    // What is known so far would prove less than the answer says.
                    return Ok(Err(reason));
                }
                &again
            };
            let written = answer.certificate(&model).map_err(no_certificate).and_then(|mut certificate| {
                certificate.precision = precision.unwrap_or(certificate.precision);
                certificate.stop = asked.clone();
                certificate.to_bytes().map_err(|error| error.to_string())
            });
            match (written, asked.reason()) {
                (Ok(bytes), _) => Ok(Ok(bytes)),
                (Err(_), Some(reason)) => Ok(Err(reason)),
                (Err(message), None) => Err(message),
            }
        })?;
        match written {
            Ok(Ok(bytes)) => Ok((Some(bytes), None)),
            Ok(Err(reason)) => Ok((None, Some(reason.to_string()))),
            Err(message) => Err(Refusal::new(message).raise(py, "CertificateError")),
        }
    }

    /// What the strategy does from the start on, in words: `a twice, then b for ever`.
    fn words(&self, py: Python<'_>) -> PyResult<String> {
        let (model, answer) = (Arc::clone(&self.model), Arc::clone(&self.answer));
        ask(py, Some(1), &StopSignal::default(), move || {
            // Alone, a strategy needs no mark that tells it from others with the same words.
            let play = Play::of(model.structure(), answer.strategy(), model.start());
            key(model.structure(), &[&play]).swap_remove(0)
        })
    }

    /// The first states that a run from the start reaches, with their actions by step (`None` while a state cannot be reached), and
    /// the number of states reached.
    #[allow(clippy::type_complexity, reason = "plain data for Python")]
    fn met(&self, py: Python<'_>, most: usize) -> PyResult<(Vec<(String, Vec<(f64, Option<String>)>)>, usize)> {
        let (model, answer) = (Arc::clone(&self.model), Arc::clone(&self.answer));
        ask(py, Some(1), &StopSignal::default(), move || {
            let structure = model.structure();
            let play = Play::of(structure, answer.strategy(), model.start());
            let states = play.states(structure);
            let row = |&state: &StateId| {
                let runs = play.runs(structure, state).into_iter();
                let runs = runs.map(|(from, choice)| {
                    (from.to_f64(), choice.map(|choice| structure.action_name(choice).into_owned()))
                });
                (structure.state_name(state).into_owned(), runs.collect())
            };
            let mut drawn: Vec<StateId> = states.iter().copied().take(most).collect();
            drawn.sort();
            (drawn.iter().map(row).collect(), states.len())
        })
    }
}

/// A timeline as one SVG element: what is done in each state, step by step.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "plain data of Python")]
pub fn timeline_svg(
    title: String,
    caption: Option<String>,
    step: String,
    rows: Vec<(String, Vec<(f64, Option<String>)>)>,
) -> String {
    let rows = rows.into_iter().map(|(name, runs)| TimelineRow { name, runs }).collect();
    Timeline { title, caption, step, rows }.svg()
}

/// The engine that gave an answer.
fn engine_of(answer: &Answer) -> commonweal::Engine {
    match (answer.method(), answer.claim()) {
        (Method::Exact, _) => commonweal::Engine::Exact,
        (Method::Certified { .. }, Claim::Within { gap, .. }) => commonweal::Engine::Within(gap),
        (Method::Certified { .. }, _) => commonweal::Engine::Within(commonweal::answers::DEFAULT_GAP),
    }
}

fn no_certificate(why: NoCertificate) -> String {
    match why {
        NoCertificate::Rounded => "the model was read in doubles, and a certificate is about the numbers of the file\n\
             help: commonweal.load(path, exact=True) reads it in fractions"
            .to_owned(),
        why => why.to_string(),
    }
}
