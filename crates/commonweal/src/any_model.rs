//! The public model type: read from a file, or built; in fractions or in doubles.

use crate::certificate::{write_canonical, write_principals};
use crate::evaluation::Payoffs;
use crate::io::{
    Divided, Format, Loaded, ModelFile, ParseError, ReadError, ReadOptions, TextLimits, load_model, load_model_within,
    read_strategy, read_strategy_log, write_drn, write_json, write_umb, write_yaml,
};
use crate::model::{
    Mdp, ModelArrays, ModelBuilder, ModelError, Preference, Principal, PrincipalId, StateId, Structure,
};
use crate::number::{ModelNumber, Rational};
use crate::solve::{Engine, Picked};
use crate::stop::{StopReason, StopSignal};
use crate::strategy::Strategy;
use crate::{certified, exact};
use std::borrow::Cow;
use std::io::Write;
use std::path::Path;
use std::sync::OnceLock;

/// A Markov decision process with several principals, valid once it exists.
///
/// Inside are fractions, or doubles where the model is large; a [`solve`](crate::solve) that needs the other kind makes it.
///
/// ```no_run
/// let hotel = commonweal::Model::read("models/paper/hotel.yaml")?;
/// assert_eq!(hotel.n_states(), 2);
/// # Ok::<(), commonweal::files::ReadError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Model {
    /// As it is written; `None` if it was read or built in doubles.
    exact: Option<Mdp>,
    doubles: OnceLock<Result<Mdp<f64>, ModelError>>,
    notes: ReadNotes,
}

/// The numbers of a model as they were read or built.
enum Inside<'a> {
    Fractions(&'a Mdp),
    Doubles(&'a Mdp<f64>),
}

/// The forms in which a model can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// YAML, in fractions.
    Yaml,
    /// JSON with the same keys.
    Json,
    /// Storm's explicit format, without time preferences and weights, which it cannot store.
    Drn,
    /// Unified Markov Binary, without them as well.
    Umb,
    /// The form that certificates are about.
    Canonical,
    /// The form that fair certificates are about.
    ByPrincipal,
}

/// What was changed or left out when a file was read.
#[derive(Debug, Clone, Default)]
pub struct ReadNotes {
    /// The reward structures without a discount, which are not principals.
    pub left_out: Vec<String>,
    /// The rows that did not sum to exactly 1 and were divided by their sum.
    pub divided: Divided,
    /// Whether numbers of the file were rounded to doubles. A certificate is about the numbers as they are written.
    pub rounded: bool,
}

impl Model {
    /// The model in a file: YAML or JSON, DRN or UMB. A DRN or UMB file so large that fractions have no prospect is read in doubles.
    /// An answer for it has no certificate, which is about the numbers of the file; [`read_with`](Model::read_with) and
    /// [`Engine::Exact`] read it in fractions.
    pub fn read(path: impl AsRef<Path>) -> Result<Model, ReadError> {
        Model::read_with(path, &ReadOptions::default(), Engine::Auto)
    }

    /// The same with discounts for reward structures and another start state, in the numbers that `engine` needs: doubles for
    /// [`Engine::Within`], which then cannot hand over to fractions; for [`Engine::Auto`] fractions, if these may answer in the end.
    pub fn read_with(path: impl AsRef<Path>, options: &ReadOptions, engine: Engine) -> Result<Model, ReadError> {
        let file = ModelFile::open(path.as_ref())?;
        Model::read_file(&file, options, engine).map_err(|error| error.of_file(file.name()))
    }

    /// The model in the bytes of a file of any format.
    pub fn from_bytes(bytes: Vec<u8>, options: &ReadOptions, engine: Engine) -> Result<Model, ReadError> {
        let file = ModelFile::from_bytes("the model", bytes);
        Model::read_file(&file, options, engine).map_err(|error| error.of_file(file.name()))
    }

    /// The model that a YAML or JSON text describes.
    pub fn from_yaml(text: &str) -> Result<Model, ParseError> {
        load_model(text, false).map(Model::from)
    }

    /// The same of a model within these limits: a short text may describe more than memory has room for, or than can be read in a
    /// moment.
    pub fn from_yaml_within(text: &str, limits: &TextLimits) -> Result<Model, ParseError> {
        load_model_within(text, false, limits).map(Model::from)
    }

    /// The model in a file that is open. Of a YAML file, which has discounts and a start of its own, options say only whether it
    /// is read strictly. The error does not name the file: [`ReadError::render`] does.
    pub fn read_file(file: &ModelFile, options: &ReadOptions, engine: Engine) -> Result<Model, ReadError> {
        if file.format() == Format::Yaml {
            return Ok(Model::from(file.read_yaml(options.strict)?));
        }
        // A large model is read in doubles from the start: in fractions it would take several times the memory.
        let overview = file.overview()?.expect("DRN and UMB tell their size");
        if engine.reads_fractions(&overview, options.discounts.len()) {
            Ok(Model::from(file.read::<Rational>(options)?))
        } else {
            Ok(Model::from(file.read::<f64>(options)?))
        }
    }

    /// The model that these arrays of fractions describe, if they describe one. The probabilities of a row must sum to exactly 1.
    pub fn from_arrays(arrays: ModelArrays<Rational>) -> Result<Model, ModelError> {
        arrays.finish().map(Model::from)
    }

    /// The model that arrays of doubles describe, in the numbers that `engine` needs. In fractions each double stands for the
    /// shortest decimal that is read as it, so 0.1 is 1/10, as in a file. A row whose sum is within 10^-9 of 1 is divided by its
    /// sum, and [`notes`](Model::notes) count it. [`Engine::Auto`] takes fractions where an exact answer is expected within about a
    /// second, which depends on how many digits the probabilities have.
    ///
    /// ```
    /// use commonweal::structure::{ModelArrays, NameTable, Principal};
    /// use commonweal::{Engine, Model, Options, solve};
    /// let arrays = ModelArrays {
    ///     start: 0.into(),
    ///     principals: vec![Principal::new("alice", "1/2".parse()?)?],
    ///     state_names: NameTable::numbered(2),
    ///     action_names: NameTable::numbered(1),
    ///     action: vec![0, 0],
    ///     first_choice: vec![0, 1, 2],
    ///     first_transition: vec![0, 2, 3],
    ///     target: vec![0.into(), 1.into(), 1.into()],
    ///     probability: vec![0.1, 0.9, 1.0],
    ///     reward: vec![0.0, 1.9],
    /// };
    /// let model = Model::from_doubles(arrays, Engine::Auto)?;
    /// assert_eq!(solve(&model, &Options::default()).welfare(model.start()).to_string(), "9/5");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_doubles(arrays: ModelArrays<f64>, engine: Engine) -> Result<Model, ModelError> {
        let n_parts = arrays.principals.iter().flat_map(Principal::segments).map(|segment| segment.parts.len()).sum();
        let digits = arrays.digits_of_probabilities();
        let (model, divided) = match engine.for_decimals(arrays.state_names.len() as u64, n_parts, digits) {
            Picked::Certified { .. } => arrays.finish_scaled().map(|(model, divided)| (Model::from(model), divided))?,
            Picked::Exact => arrays.finish_decimals().map(|(model, divided)| (Model::from(model), divided))?,
        };
        Ok(Model { notes: ReadNotes { divided, ..ReadNotes::default() }, ..model })
    }

    /// Everything but the numbers: states, choices, names, principals.
    pub fn structure(&self) -> &Structure {
        match self.inside() {
            Inside::Fractions(exact) => exact.structure(),
            Inside::Doubles(doubles) => doubles.structure(),
        }
    }

    /// The number of states; at least 1.
    pub fn n_states(&self) -> usize {
        self.structure().n_states()
    }

    /// The number of principals; at least 1.
    pub fn n_principals(&self) -> usize {
        self.structure().n_principals()
    }

    /// The number of geometric parts of the principals' time preferences, over all segments. An engine's work is proportional to it.
    pub fn n_parts(&self) -> usize {
        self.structure().n_parts()
    }

    /// Whether preferences are approximated by mixtures.
    pub fn is_approximated(&self) -> bool {
        self.principals().iter().any(|principal| principal.approximation().is_some())
    }

    /// An upper bound on the error of any welfare that the approximation of preferences causes; 0 if none is approximated.
    pub fn approximation_margin(&self) -> f64 {
        match self.inside() {
            Inside::Fractions(exact) => exact.welfare_margin(),
            Inside::Doubles(doubles) => doubles.welfare_margin(),
        }
    }

    /// The principals, in the model's order.
    pub fn principals(&self) -> &[Principal] {
        self.structure().principals()
    }

    /// The state in which a run starts.
    pub fn start(&self) -> StateId {
        self.structure().start()
    }

    /// The state of that name.
    pub fn find_state(&self, name: &str) -> Option<StateId> {
        self.structure().find_state(name)
    }

    /// The principal of that name.
    pub fn find_principal(&self, name: &str) -> Option<PrincipalId> {
        self.structure().find_principal(name)
    }

    /// What was changed or left out when the file was read.
    pub fn notes(&self) -> &ReadNotes {
        &self.notes
    }

    /// The same model with another start state.
    ///
    /// # Panics
    /// If the model has no such state.
    pub fn with_start(self, start: StateId) -> Model {
        self.map(|mdp| Ok(mdp.with_start(start)), |mdp| Ok(mdp.with_start(start))).expect("a start is not refused")
    }

    /// The same model with another discount for one principal.
    pub fn with_discount(self, principal: PrincipalId, discount: &Rational) -> Result<Model, ModelError> {
        let of = |discount: &Rational| discount.clone();
        self.map(|mdp| mdp.with_discount(principal, of(discount)), |mdp| mdp.with_discount(principal, of(discount)))
    }

    /// The same model with another time preference for one principal.
    pub fn with_preference(self, principal: PrincipalId, preference: &Preference) -> Result<Model, ModelError> {
        self.map(
            |mdp| mdp.with_preference(principal, preference.clone()),
            |mdp| mdp.with_preference(principal, preference.clone()),
        )
    }

    /// The same model in which the payoff of one principal counts `weight` times in the welfare: negative for costs, 0 to be
    /// reported only.
    pub fn with_weight(self, principal: PrincipalId, weight: &Rational) -> Model {
        let changed = self.map(
            |mdp| Ok(mdp.with_weight(principal, weight.clone())),
            |mdp| Ok(mdp.with_weight(principal, weight.clone())),
        );
        changed.expect("a weight is not refused")
    }

    /// The same model, in fractions, with each principal's weight multiplied into its rewards, for files that hold no weights. The
    /// welfare is the same.
    pub fn with_weights_in_rewards(self) -> Model {
        let notes = self.notes.clone();
        Model { notes, ..Model::from(self.into_exact().with_weights_in_rewards()) }
    }

    fn map(
        self,
        exact: impl Fn(Mdp) -> Result<Mdp, ModelError>,
        doubles: impl Fn(Mdp<f64>) -> Result<Mdp<f64>, ModelError>,
    ) -> Result<Model, ModelError> {
        let Model { exact: in_fractions, doubles: in_doubles, notes } = self;
        Ok(match in_fractions {
            Some(mdp) => Model { exact: Some(exact(mdp)?), doubles: OnceLock::new(), notes },
            None => {
                let mdp = in_doubles.into_inner().expect("a model has numbers")?;
                Model { exact: None, doubles: OnceLock::from(Ok(doubles(mdp)?)), notes }
            }
        })
    }

    /// The strategy for this model that a JSON text describes, as `solve --strategy` writes it, or shorter, as people do.
    ///
    /// ```
    /// let hotel = commonweal::Model::from_yaml("principals: {p: 1/2}\nstates: {s: {a: {to: s}, b: {to: s}}}")?;
    /// assert!(hotel.read_strategy(br#"{"format": "commonweal-strategy/1", "decisions": {"s": "b"}}"#).is_ok());
    /// # Ok::<(), commonweal::files::ParseError>(())
    /// ```
    pub fn read_strategy(&self, json: &[u8]) -> Result<Strategy, ParseError> {
        read_strategy(self.structure(), json)
    }

    /// The strategy for this model in the files `strategy-first.bin` and `strategy.bin` of `commonweal-mpi`.
    pub fn read_strategy_log(&self, firsts: &[u8], records: &[u8]) -> Result<Strategy, ReadError> {
        read_strategy_log(self.structure(), firsts, records)
    }

    /// The model as a YAML file has it.
    pub fn to_yaml(&self) -> std::io::Result<String> {
        let mut text = Vec::new();
        write_yaml(&self.exact(), &mut text)?;
        Ok(String::from_utf8(text).expect("YAML is written in UTF-8"))
    }

    /// The model as a DRN file has it, without the time preferences, which that format cannot store.
    pub fn to_drn(&self) -> std::io::Result<String> {
        let mut text = Vec::new();
        write_drn(&self.exact(), &mut text)?;
        Ok(String::from_utf8(text).expect("DRN is written in UTF-8"))
    }

    /// The canonical form, which certificates are about and checkers read: the same for the same model, whatever its format.
    pub fn canonical(&self) -> Vec<u8> {
        let mut text = Vec::new();
        write_canonical(&self.exact(), &mut text).expect("memory takes every byte");
        text
    }

    /// Writes the model in this form. DRN and UMB have the numbers as they are inside, fractions or doubles; the others have
    /// fractions. An error also for time preferences that change at some step [by principal](Form::ByPrincipal).
    pub fn write(&self, form: Form, out: &mut dyn Write) -> std::io::Result<()> {
        self.write_unless(form, out, &StopSignal::default())
    }

    /// The same, unless `stop` is raised: then an error, and a part of the model is written.
    pub fn write_unless(&self, form: Form, out: &mut dyn Write, stop: &StopSignal) -> std::io::Result<()> {
        let exact = || self.exact_unless(stop).map_err(std::io::Error::other);
        let out = &mut Until { out, stop };
        match (form, self.inside()) {
            (Form::Yaml, _) => write_yaml(&*exact()?, out),
            (Form::Json, _) => write_json(&*exact()?, out),
            (Form::Canonical, _) => write_canonical(&*exact()?, out),
            (Form::ByPrincipal, _) => write_principals(&*exact()?, out),
            (Form::Drn, Inside::Fractions(exact)) => write_drn(exact, out),
            (Form::Drn, Inside::Doubles(doubles)) => write_drn(doubles, out),
            (Form::Umb, Inside::Fractions(exact)) => write_umb(exact, out),
            (Form::Umb, Inside::Doubles(doubles)) => write_umb(doubles, out),
        }
    }

    /// The arrays of the model in fractions, as [`from_arrays`](Model::from_arrays) takes them. For a model read in doubles these
    /// are the exact values of the doubles, each row divided by its sum.
    pub fn to_arrays(&self) -> ModelArrays<Rational> {
        ModelArrays::of(&self.exact())
    }

    /// The arrays of the model in doubles, as [`from_doubles`](Model::from_doubles) takes them. An error if a reward is too large
    /// for one.
    pub fn to_doubles(&self) -> Result<ModelArrays<f64>, ModelError> {
        self.doubles().map(ModelArrays::of)
    }

    /// An error if a reward is too large for a double, so that only fractions can answer.
    pub fn check_doubles(&self) -> Result<(), ModelError> {
        self.doubles().map(drop)
    }

    /// Whether fractions are inside.
    pub fn is_exact(&self) -> bool {
        self.exact.is_some()
    }

    /// The same model with fractions inside, unless `stop` is raised on the way.
    pub fn in_fractions(&self, stop: &StopSignal) -> Result<Cow<'_, Model>, StopReason> {
        match self.exact_unless(stop)? {
            Cow::Borrowed(_) => Ok(Cow::Borrowed(self)),
            Cow::Owned(exact) => Ok(Cow::Owned(Model { notes: self.notes.clone(), ..Model::from(exact) })),
        }
    }

    /// The numbers as they were read or built.
    fn inside(&self) -> Inside<'_> {
        match (&self.exact, self.doubles.get()) {
            (Some(exact), _) => Inside::Fractions(exact),
            (None, Some(Ok(doubles))) => Inside::Doubles(doubles),
            (None, _) => unreachable!("a model has numbers of one kind at least"),
        }
    }

    /// The model in fractions. For a model read in doubles these are the exact values of the doubles, each row divided by its
    /// sum.
    pub(crate) fn exact(&self) -> Cow<'_, Mdp> {
        match self.inside() {
            Inside::Fractions(exact) => Cow::Borrowed(exact),
            Inside::Doubles(doubles) => Cow::Owned(doubles.to_fractions()),
        }
    }

    /// The same, unless `stop` is raised while doubles become fractions. An error tells that there are doubles inside.
    pub(crate) fn exact_unless(&self, stop: &StopSignal) -> Result<Cow<'_, Mdp>, StopReason> {
        match self.inside() {
            Inside::Fractions(exact) => Ok(Cow::Borrowed(exact)),
            Inside::Doubles(doubles) => doubles.to_fractions_unless(stop).map(Cow::Owned),
        }
    }

    /// Bounds on each principal's payoff under any strategy, in the numbers inside.
    pub(crate) fn any_payoffs(&self) -> Payoffs {
        match self.inside() {
            Inside::Fractions(exact) => exact::any_payoffs(exact),
            Inside::Doubles(doubles) => certified::any_payoffs(doubles),
        }
    }

    /// The same, without a copy where fractions are inside.
    pub(crate) fn into_exact(self) -> Mdp {
        match self.exact {
            Some(exact) => exact,
            None => self.exact().into_owned(),
        }
    }

    /// The model in doubles. An error if a reward is too large for one.
    pub(crate) fn doubles(&self) -> Result<&Mdp<f64>, ModelError> {
        let rounded = || self.exact.as_ref().expect("a model has numbers of one kind at least").to_doubles();
        self.doubles.get_or_init(rounded).as_ref().map_err(ModelError::clone)
    }
}

/// Writes until a signal is raised.
struct Until<'a> {
    out: &'a mut dyn Write,
    stop: &'a StopSignal,
}

impl Write for Until<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.stop.check().map_err(std::io::Error::other)?;
        self.out.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

impl ModelBuilder {
    /// The model, if every state has a choice.
    pub fn build(self) -> Result<Model, ModelError> {
        self.finish().map(Model::from)
    }
}

impl From<Mdp> for Model {
    fn from(exact: Mdp) -> Model {
        Model { exact: Some(exact), doubles: OnceLock::new(), notes: ReadNotes::default() }
    }
}

impl From<Mdp<f64>> for Model {
    fn from(doubles: Mdp<f64>) -> Model {
        Model { exact: None, doubles: OnceLock::from(Ok(doubles)), notes: ReadNotes::default() }
    }
}

impl<N: ModelNumber> From<Loaded<N>> for Model
where
    Model: From<Mdp<N>>,
{
    fn from(loaded: Loaded<N>) -> Model {
        let model = Model::from(loaded.model);
        let rounded = !model.is_exact();
        Model { notes: ReadNotes { left_out: loaded.left_out, divided: loaded.divided, rounded }, ..model }
    }
}
