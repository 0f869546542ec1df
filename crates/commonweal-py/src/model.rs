//! Models: read, built from arrays, changed; and their contents.

use crate::arrays::{Given, Indices};
use crate::ask::ask;
use crate::error::{Refusal, refused};
use crate::limits::Limits;
use commonweal::files::{Discounts, Form, ReadOptions};
use commonweal::structure::{ModelArrays, ModelError, NameTable, Principal, PrincipalId, StateId, Structure};
use commonweal::text::doubts;
use commonweal::{Engine, Model, StopSignal};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// A model, valid once it exists.
#[pyclass(frozen, name = "Model", module = "commonweal._core")]
pub struct PyModel(pub Arc<Model>);

/// Rows of a model: the state and the action of each, where its entries begin, its successors, their probabilities, and the
/// rewards of each principal.
type ArraysOf<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
    Vec<Bound<'py, PyArray1<f64>>>,
);

#[pymethods]
impl PyModel {
    /// The model in a file. `principals` is the JSON of entries as a file has them under `principals`, or None.
    #[staticmethod]
    #[pyo3(signature = (path, principals, start, strict, exact))]
    fn read(
        py: Python<'_>,
        path: PathBuf,
        principals: Option<&str>,
        start: Option<String>,
        strict: bool,
        exact: Option<bool>,
    ) -> PyResult<PyModel> {
        let stated = principals.map(|entries| read_principals(py, entries)).transpose()?;
        let engine = Limits::engine(py, exact, None)?;
        let named = stated.as_deref().unwrap_or_default().iter();
        let named = named.map(|principal| (principal.name.clone(), principal.preference().clone()));
        let options = ReadOptions::new(Discounts::Stated(named.collect())).from(start.as_deref()).strict(strict);
        let read = ask(py, None, &StopSignal::default(), move || Model::read_with(path, &options, engine))?;
        let mut model = read.map_err(|error| Refusal::of_file(&error).model(py))?;
        // A file of the project's own format has a start of its own, which reading leaves alone.
        if let Some(name) = start {
            let state = model
                .find_state(&name)
                .or_else(|| NameTable::numbered(model.n_states()).find(&name).map(StateId::from));
            let state = state.ok_or_else(|| refused(py, format!("there is no state `{name}` to start in")))?;
            if state != model.start() {
                model = model.with_start(state);
            }
        }
        match stated {
            Some(stated) => Ok(PyModel(Arc::new(with_principals(py, model, stated)?))),
            None => Ok(PyModel(Arc::new(model))),
        }
    }

    /// The model that a YAML or JSON text describes. `name` is what messages call the text; without one they have no place.
    #[staticmethod]
    #[pyo3(signature = (text, name, strict))]
    fn from_text(py: Python<'_>, text: String, name: Option<String>, strict: bool) -> PyResult<PyModel> {
        let options = ReadOptions::default().strict(strict);
        let read = ask(py, None, &StopSignal::default(), move || {
            let read = Model::from_bytes(text.clone().into_bytes(), &options, Engine::Auto);
            (read, text)
        })?;
        match read {
            (Ok(model), _) => Ok(PyModel(Arc::new(model))),
            (Err(error), text) => Err(text_refusal(error, name.as_deref(), &text).model(py)),
        }
    }

    /// The model that compressed sparse rows describe, one for each pair of a state and an action. `principals` is the JSON of
    /// entries, or the YAML that `principals_yaml` returns.
    #[staticmethod]
    #[allow(clippy::too_many_arguments, reason = "the arrays of a model")]
    #[pyo3(signature = (indptr, indices, data, s_indices, a_indices, rewards, principals, states, actions, n_states, n_actions, start, exact))]
    fn from_rows<'py>(
        py: Python<'py>,
        indptr: PyReadonlyArray1<'py, i64>,
        indices: Indices<'py>,
        data: PyReadonlyArray1<'py, f64>,
        s_indices: PyReadonlyArray1<'py, i64>,
        a_indices: PyReadonlyArray1<'py, i64>,
        rewards: Vec<PyReadonlyArray1<'py, f64>>,
        principals: &str,
        states: Option<Vec<String>>,
        actions: Option<Vec<String>>,
        n_states: usize,
        n_actions: usize,
        start: usize,
        exact: Option<bool>,
    ) -> PyResult<PyModel> {
        let engine = Limits::engine(py, exact, None)?;
        let given = Given {
            indptr,
            indices,
            data,
            s_indices,
            a_indices,
            rewards,
            principals: read_principals(py, principals)?,
            states: names(py, "state", states, n_states)?,
            actions: names(py, "action", actions, n_actions)?,
            start,
        };
        let arrays = given.copied().map_err(|refusal| refusal.model(py))?;
        let built = ask(py, None, &StopSignal::default(), move || Model::from_doubles(arrays, engine))?;
        built.map(|model| PyModel(Arc::new(model))).map_err(|error| Refusal::from(&error).model(py))
    }

    /// The number of states.
    #[getter]
    fn n_states(&self) -> usize {
        self.0.n_states()
    }

    /// The number of choices: pairs of a state and one of its actions.
    #[getter]
    fn n_choices(&self) -> usize {
        self.0.structure().n_choices()
    }

    /// The number of transitions.
    #[getter]
    fn n_transitions(&self) -> usize {
        self.0.structure().n_transitions()
    }

    /// The number of the state in which runs start.
    #[getter]
    fn start(&self) -> usize {
        self.0.start().index()
    }

    /// Whether the numbers inside are fractions, not doubles.
    #[getter]
    fn is_exact(&self) -> bool {
        self.0.is_exact()
    }

    /// The name, the description, and what a step is called.
    #[getter]
    fn about(&self) -> (Option<String>, Option<String>, String) {
        let about = self.0.structure().about();
        (about.name.clone(), about.description.clone(), about.step().to_owned())
    }

    /// The rows that were scaled to 1, and the largest distance of a sum from 1.
    #[getter]
    fn scaled_rows(&self) -> (usize, f64) {
        let divided = self.0.notes().divided;
        (divided.rows, divided.largest)
    }

    /// The reward structures of a file that got no discount.
    #[getter]
    fn left_out(&self) -> Vec<String> {
        self.0.notes().left_out.clone()
    }

    /// Name, time preference in words, discount and weight of each principal, the numbers as text; no discount where the
    /// preference is not plain.
    #[getter]
    fn principals(&self) -> Vec<(String, String, Option<String>, String)> {
        let told = |principal: &Principal| {
            let discount = principal.discount().map(ToString::to_string);
            (principal.name.clone(), principal.preference().to_string(), discount, principal.weight.to_string())
        };
        self.0.principals().iter().map(told).collect()
    }

    /// What the program would say of time preferences that may not be meant.
    #[getter]
    fn doubts(&self) -> Vec<String> {
        let told = doubts(self.0.principals(), self.0.structure().about().step());
        told.into_iter().map(|doubt| doubt.text).collect()
    }

    /// The name of a state.
    fn state_name(&self, state: usize) -> String {
        self.0.structure().state_name(state.into()).into_owned()
    }

    /// The names of all states.
    fn state_names(&self) -> Vec<String> {
        self.0.structure().state_names().iter().map(|name| name.into_owned()).collect()
    }

    /// The number of the state of that name.
    fn find_state(&self, name: &str) -> Option<usize> {
        self.0.find_state(name).map(|state| state.index())
    }

    /// The names of a state's actions, in the model's order.
    fn actions(&self, state: usize) -> Vec<String> {
        let structure = self.0.structure();
        structure.choices(state.into()).map(|choice| structure.action_name(choice).into_owned()).collect()
    }

    /// The first difference between the states or actions of two models, in words; `None` if a strategy of one is one of the
    /// other.
    fn difference(&self, py: Python<'_>, other: &PyModel) -> PyResult<Option<String>> {
        let (own, other) = (Arc::clone(&self.0), Arc::clone(&other.0));
        ask(py, Some(1), &StopSignal::default(), move || difference(own.structure(), other.structure()))
    }

    /// The principals whose time preferences are approximated by mixtures of discounts.
    #[getter]
    fn approximated(&self) -> Vec<String> {
        let principals = self.0.principals().iter().filter(|principal| principal.approximation().is_some());
        principals.map(|principal| principal.name.clone()).collect()
    }

    /// The same model with another start.
    fn with_start(&self, state: usize) -> PyModel {
        PyModel(Arc::new((*self.0).clone().with_start(state.into())))
    }

    /// The same model with other time preferences for some principals, as the JSON of a file's `principals`.
    fn with_principals(&self, py: Python<'_>, entries: &str) -> PyResult<PyModel> {
        let stated = read_principals(py, entries)?;
        Ok(PyModel(Arc::new(with_principals(py, (*self.0).clone(), stated)?)))
    }

    /// The same model with another weight for one principal.
    fn with_weight(&self, py: Python<'_>, principal: &str, weight: &str) -> PyResult<PyModel> {
        let id = find_principal(py, &self.0, principal)?;
        let weight = weight.parse().map_err(|error| refused(py, format!("the weight of `{principal}`: {error}")))?;
        Ok(PyModel(Arc::new((*self.0).clone().with_weight(id, &weight))))
    }

    /// The model as a YAML file has it.
    fn to_yaml(&self, py: Python<'_>) -> PyResult<String> {
        self.text(py, |model, out, stop| model.write_unless(Form::Yaml, out, stop))
    }

    /// The model as a DRN file has it.
    fn to_drn(&self, py: Python<'_>) -> PyResult<String> {
        self.text(py, |model, out, stop| {
            let in_fractions = model.in_fractions(stop).map_err(std::io::Error::other)?;
            in_fractions.write_unless(Form::Drn, out, stop)
        })
    }

    /// The canonical form, which certificates are about.
    fn canonical(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        self.written(py, |model, out, stop| model.write_unless(Form::Canonical, out, stop))
    }

    /// The principals with everything that a file says of them, as the YAML of a model with one state.
    fn principals_yaml(&self) -> PyResult<String> {
        let stay = ModelArrays {
            start: 0.into(),
            principals: self.0.principals().to_vec(),
            state_names: NameTable::numbered(1),
            action_names: NameTable::numbered(1),
            action: vec![0],
            first_choice: vec![0, 1],
            first_transition: vec![0, 1],
            target: vec![0.into()],
            probability: vec![1.0],
            reward: vec![0.0; self.0.n_principals()],
        };
        let one_state = Model::from_doubles(stay, Engine::Exact).expect("one state that stays is a model");
        Ok(one_state.to_yaml()?)
    }

    /// The names of all actions that occur, and for each choice the position of its action among them.
    fn named_actions<'py>(&self, py: Python<'py>) -> (Vec<String>, Bound<'py, PyArray1<i64>>) {
        let structure = self.0.structure();
        let mut names = NameTable::default();
        let choices = structure.states().flat_map(|state| structure.choices(state));
        let positions = choices.map(|choice| names.intern(&structure.action_name(choice)) as i64).collect();
        (names.iter().map(|name| name.into_owned()).collect(), PyArray1::from_vec(py, positions))
    }

    /// Whether the states have no names but their numbers.
    #[getter]
    fn states_are_numbered(&self) -> bool {
        let names = self.0.structure().state_names();
        *names == NameTable::numbered(names.len())
    }

    /// The model's rows in doubles.
    fn to_rows<'py>(&self, py: Python<'py>) -> PyResult<ArraysOf<'py>> {
        let doubles = self.0.to_doubles().map_err(|error| Refusal::from(&error).model(py))?;
        let structure = self.0.structure();
        let n = (structure.n_choices(), structure.n_transitions(), structure.n_principals());
        let (mut s_indices, mut a_indices) = (Vec::with_capacity(n.0), Vec::with_capacity(n.0));
        let (mut indptr, mut indices, mut data) = (vec![0i64], Vec::with_capacity(n.1), Vec::with_capacity(n.1));
        let mut rewards: Vec<Vec<f64>> = (0..n.2).map(|_| Vec::with_capacity(n.0)).collect();
        for state in structure.states() {
            for (position, choice) in structure.choices(state).enumerate() {
                s_indices.push(state.index() as i64);
                a_indices.push(position as i64);
                for (target, probability) in doubles.transitions(choice) {
                    indices.push(target.index() as i64);
                    data.push(*probability);
                }
                indptr.push(indices.len() as i64);
                rewards.iter_mut().zip(doubles.rewards(choice)).for_each(|(all, own)| all.push(*own));
            }
        }
        Ok((
            PyArray1::from_vec(py, s_indices),
            PyArray1::from_vec(py, a_indices),
            PyArray1::from_vec(py, indptr),
            PyArray1::from_vec(py, indices),
            PyArray1::from_vec(py, data),
            rewards.into_iter().map(|own| PyArray1::from_vec(py, own)).collect(),
        ))
    }
}

impl PyModel {
    /// The bytes that `write` writes, unless Ctrl-C stops it.
    fn written(
        &self,
        py: Python<'_>,
        write: impl FnOnce(&Model, &mut Vec<u8>, &StopSignal) -> std::io::Result<()> + Send + 'static,
    ) -> PyResult<Vec<u8>> {
        let (model, stop) = (Arc::clone(&self.0), StopSignal::default());
        let asked = stop.clone();
        let written = ask(py, None, &stop, move || {
            let mut bytes = Vec::new();
            write(&model, &mut bytes, &asked).map(|()| bytes)
        });
        Ok(written??)
    }

    /// The same, as a text.
    fn text(
        &self,
        py: Python<'_>,
        write: impl FnOnce(&Model, &mut Vec<u8>, &StopSignal) -> std::io::Result<()> + Send + 'static,
    ) -> PyResult<String> {
        Ok(String::from_utf8(self.written(py, write)?).expect("a model is written in UTF-8"))
    }
}

/// The principals that the JSON of entries describes, read as a model file's are: one reader for both.
pub fn read_principals(py: Python<'_>, entries: &str) -> PyResult<Vec<Principal>> {
    if !entries.starts_with('{') {
        let model = Model::from_yaml(entries).map_err(|error| Refusal::of_entry(&error).model(py))?;
        return Ok(model.principals().to_vec());
    }
    let whole = format!("{{\"principals\": {entries}, \"states\": {{\"s\": {{\"a\": {{\"to\": \"s\"}}}}}}}}");
    let model = Model::from_yaml(&whole).map_err(|error| Refusal::of_entry(&error).model(py))?;
    Ok(model.principals().to_vec())
}

/// The same model with the time preferences of these. Weights stay as they are.
fn with_principals(py: Python<'_>, mut model: Model, stated: Vec<Principal>) -> PyResult<Model> {
    for principal in stated {
        let id = find_principal(py, &model, &principal.name)?;
        // A discount or a rate with no end of its own ends where the model's does.
        let preference = model.principals()[id.index()].preference().replaced_by(principal.preference().clone());
        model = model.with_preference(id, &preference).map_err(|error: ModelError| Refusal::from(&error).model(py))?;
    }
    Ok(model)
}

/// The principal of that name.
pub fn find_principal(py: Python<'_>, model: &Model, name: &str) -> PyResult<PrincipalId> {
    model.find_principal(name).ok_or_else(|| {
        let names: Vec<String> = model.principals().iter().take(8).map(|own| format!("`{}`", own.name)).collect();
        refused(py, format!("there is no principal `{name}`; the principals are {}", names.join(", ")))
    })
}

/// The first difference between the states or actions of a model and those of another one.
fn difference(own: &Structure, other: &Structure) -> Option<String> {
    if own.n_states() != other.n_states() {
        return Some(format!("it has {} states, not {}", other.n_states(), own.n_states()));
    }
    let numbered = |names: &NameTable| *names == NameTable::numbered(names.len());
    let names_differ = !(numbered(own.state_names()) && numbered(other.state_names()));
    for (state, theirs) in own.states().zip(other.states()) {
        if names_differ && own.state_name(state) != other.state_name(theirs) {
            let (here, there) = (own.state_name(state), other.state_name(theirs));
            return Some(format!("state {} is `{there}` there and `{here}` here", state.index()));
        }
        let (mine, their) = (own.choices(state), other.choices(theirs));
        if mine.len() != their.len() || mine.clone().zip(their).any(|(a, b)| own.action_name(a) != other.action_name(b))
        {
            return Some(format!("state `{}` has other actions there", own.state_name(state)));
        }
    }
    None
}

/// Names as they are given, or numbers.
fn names(py: Python<'_>, what: &str, given: Option<Vec<String>>, n: usize) -> PyResult<NameTable> {
    let Some(given) = given else { return Ok(NameTable::numbered(n)) };
    if given.len() != n {
        let message = format!("{} names for {n} {what}s; give each one a name, or none", given.len());
        return Err(Refusal::new(message).model(py));
    }
    let mut table = NameTable::default();
    for (position, name) in given.iter().enumerate() {
        if table.intern(name) != position {
            return Err(Refusal::new(format!("there are two {what}s called `{name}`; rename one")).model(py));
        }
    }
    Ok(table)
}

/// An error in a text of the user, or in a generated one.
fn text_refusal(error: commonweal::files::ReadError, name: Option<&str>, text: &str) -> Refusal {
    let mut inner = &error;
    while let commonweal::files::ReadError::In { error, .. } = inner {
        inner = error;
    }
    match (inner, name) {
        (commonweal::files::ReadError::Text(inner), Some(name)) => Refusal::of_text(inner, name, text),
        (commonweal::files::ReadError::Text(inner), None) => Refusal::of_entry(inner),
        _ => Refusal::of_file(&error),
    }
}
