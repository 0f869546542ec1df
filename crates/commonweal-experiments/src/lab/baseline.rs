//! The baseline: the paper's method in Python with numpy, on the same models in the same run.

use commonweal::internals::model::Mdp;
use serde::{Deserialize, Serialize};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const PROGRAM: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/baseline/paper.py"));

/// A running interpreter that solves one model after the other.
pub struct Baseline {
    child: Child,
    input: Option<BufWriter<ChildStdin>>,
    output: BufReader<ChildStdout>,
    /// `Python 3.12.3 with numpy 2.1`.
    pub versions: String,
}

/// Why the baseline gives no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// There is no such interpreter, or it cannot be started.
    #[error("cannot run {0}: {1}")]
    CannotRun(String, std::io::Error),
    /// A model could not be sent.
    #[error("the baseline does not listen: {0}")]
    DoesNotListen(std::io::Error),
    /// An answer could not be received.
    #[error("the baseline does not answer: {0}")]
    DoesNotAnswer(std::io::Error),
    /// It ended, with this as the last line on its standard error; without numpy it ends at once.
    #[error("the baseline ended: {0}")]
    Ended(String),
    /// Its answer is not in the form that was expected.
    #[error("the baseline answered {0:?}")]
    Unreadable(String),
}

#[derive(Deserialize)]
struct Versions {
    python: String,
    numpy: String,
}

#[derive(Serialize)]
struct Head {
    states: usize,
    choices: usize,
    transitions: usize,
    start: usize,
    discounts: Vec<f64>,
    repeat: usize,
}

/// What the baseline found.
#[derive(Debug, Clone, Deserialize)]
pub struct BaselineAnswer {
    /// From the start state.
    pub welfare: f64,
    /// Its error bound: value iteration is truncated and ties are decided within a tolerance.
    pub bound: f64,
    pub layers: u64,
    pub sweeps: u64,
    /// Seconds of the first phase, and of the second; the best of the runs.
    pub long_term: f64,
    pub unravel: f64,
}

impl Baseline {
    /// Starts the interpreter. The error says why it cannot be used.
    pub fn start(python: &str) -> Result<Baseline, BaselineError> {
        let mut child = Command::new(python)
            .args(["-c", PROGRAM])
            // One thread, as plain loops have.
            .env("OPENBLAS_NUM_THREADS", "1")
            .env("OMP_NUM_THREADS", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| BaselineError::CannotRun(python.to_owned(), error))?;
        let input = child.stdin.take().map(BufWriter::new);
        let output = BufReader::new(child.stdout.take().expect("a pipe was asked for"));
        let mut baseline = Baseline { child, input, output, versions: String::new() };
        let Versions { python, numpy } = baseline.answer()?;
        baseline.versions = format!("Python {python} with numpy {numpy}");
        Ok(baseline)
    }

    /// Solves a model `repeat` times.
    pub fn solve(&mut self, model: &Mdp<f64>, repeat: usize) -> Result<BaselineAnswer, BaselineError> {
        let input = self.input.as_mut().expect("open until the end");
        write_model(model, repeat, input).and_then(|()| input.flush()).map_err(BaselineError::DoesNotListen)?;
        self.answer()
    }

    fn answer<T: for<'a> Deserialize<'a>>(&mut self) -> Result<T, BaselineError> {
        let mut line = String::new();
        self.output.read_line(&mut line).map_err(BaselineError::DoesNotAnswer)?;
        if line.is_empty() {
            self.input = None;
            let mut complaint = String::new();
            if let Some(mut errors) = self.child.stderr.take() {
                std::io::Read::read_to_string(&mut errors, &mut complaint).map_err(BaselineError::DoesNotAnswer)?;
            }
            let last = complaint.lines().last().unwrap_or("it said nothing").to_owned();
            return Err(BaselineError::Ended(last));
        }
        serde_json::from_str(&line).map_err(|_| BaselineError::Unreadable(line.trim_end().to_owned()))
    }
}

impl Drop for Baseline {
    fn drop(&mut self) {
        // The end of its input ends the program.
        self.input = None;
        let _ = self.child.wait();
    }
}

/// The model as the baseline reads it: a line of JSON, then its arrays in eight bytes a number. Principals are given most
/// patient first.
fn write_model(model: &Mdp<f64>, repeat: usize, out: &mut impl Write) -> std::io::Result<()> {
    let mut order: Vec<usize> = (0..model.n_principals()).collect();
    let principals = model.principals();
    order.sort_by(|&a, &b| principals[b].patience().cmp(principals[a].patience()));
    let head = Head {
        states: model.n_states(),
        choices: model.n_choices(),
        transitions: model.n_transitions(),
        start: model.start().index(),
        discounts: order.iter().map(|&p| principals[p].patience().to_f64()).collect(),
        repeat,
    };
    serde_json::to_writer(&mut *out, &head)?;
    out.write_all(b"\n")?;
    let whole = |out: &mut dyn Write, number: usize| out.write_all(&(number as u64).to_le_bytes());
    let choices = || model.states().flat_map(|state| model.choices(state));
    let mut end = 0;
    whole(out, end)?;
    for state in model.states() {
        end += model.choices(state).len();
        whole(out, end)?;
    }
    let mut end = 0;
    whole(out, end)?;
    for choice in choices() {
        end += model.targets(choice).len();
        whole(out, end)?;
    }
    for choice in choices() {
        model.targets(choice).iter().try_for_each(|target| whole(out, target.index()))?;
    }
    for choice in choices() {
        model.probabilities(choice).iter().try_for_each(|p| out.write_all(&p.to_le_bytes()))?;
    }
    for choice in choices() {
        let rewards = model.rewards(choice);
        order.iter().try_for_each(|&p| out.write_all(&rewards[p].to_le_bytes()))?;
    }
    Ok(())
}
