//! A checker for the certificates of `commonweal`. It does not trust the solver or the files.
//!
//! The format, what is checked and why that suffices is `docs/formats/certificate-v1.md`; comments here cite its sections.
//! The crate shares no code with the solver, reads both files with its own readers and computes with a library that
//! the solver does not use. Memory is O(model); the certificate is read once, front to back.
//!
//! ```
//! let model = b"commonweal-model 1\ndiscounts 1/2\nstates 1\nchoices 1\n3 > 0 1\nend\n";
//! let certificate = "commonweal-certificate 1\n\
//!     model 1951d4fe488d9c2a185fe7d8463e403c281f0bc52f2bd1aa7e8f17a31f4a0c01\n\
//!     kind exact\nnumbers exact\nprecision 64\nhorizon 0\ntail\n1 0\nvalues\ndenominator 1\n6\n\
//!     welfare\nexact 6\nend\n";
//! let verdict = commonweal_check::check(model, certificate.as_bytes(), commonweal_check::WORK)?;
//! assert_eq!(verdict.to_string(), "accepted");
//! # Ok::<(), commonweal_check::Unreadable>(())
//! ```

mod bounds;
mod canonical;
mod certificate;
mod doubles;
mod enclosure;
mod exact;
mod fair;
mod fraction;
mod harmonic;
mod model;
mod preference;
mod principals;
mod sha256;
mod stage;
mod text;
mod values;
mod work;
mod yaml;

use std::fmt;
use std::io::BufRead;
use std::sync::mpsc;
use std::time::Duration;

/// The default work limit of a check, in operations on machine words: a few minutes.
pub const WORK: u64 = 200_000_000_000;
/// The largest model file that is read, in bytes.
pub const MAX_MODEL_BYTES: u64 = 1 << 32;

/// The verdict on a readable certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Every claim holds (§1).
    Accepted(Meaning),
    /// The first claim that could not be verified: its place, and the numbers that differ.
    Refused(String),
}

/// What is proven if a certificate is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// The strategy is optimal in every state and at every step.
    Optimal,
    /// The strategy earns at least the lower number, and no strategy earns more than the upper one, from every state.
    Bounds,
    /// A fair certificate: by the rule that it states, the lottery is worth as much as any strategy that meets the demands.
    Fairest,
    /// A fair certificate: the lottery is worth at least the lower number by the rule, and nothing more than the upper one.
    FairBounds,
    /// A fair certificate: no strategy meets the demands.
    Infeasible,
}

/// The figures that an accepted certificate proves.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// The position of the state that they are for.
    pub state: usize,
    /// The greatest welfare, or bounds on it; none of a fair certificate.
    pub welfare: Option<Figure>,
    /// What each principal gets by the lottery of a fair certificate.
    pub payoffs: Vec<Figure>,
}

/// A verified number.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The number as a fraction in lowest terms, if it is stated as one and is not long.
    pub exact: Option<String>,
    /// A double that is at most the number.
    pub lower: f64,
    /// A double that is at least the number.
    pub upper: f64,
}

impl Figure {
    fn of(exact: &fraction::Fraction) -> Figure {
        /// As many as 10,000 decimal digits.
        const LONG: u64 = 33_000;
        let bounds = doubles::Interval::of(exact);
        let (lower, upper) = bounds.map_or((f64::NEG_INFINITY, f64::INFINITY), |bounds| (bounds.lo, bounds.hi));
        let is_long = exact.numerator.bits().max(exact.denominator.bits()) > LONG;
        Figure { exact: (!is_long).then(|| exact.clone().in_lowest_terms().written()), lower, upper }
    }

    fn between([lower, upper]: &[fraction::Fraction; 2]) -> Figure {
        if lower.compare(upper).is_eq() {
            return Figure::of(lower);
        }
        Figure { exact: None, lower: Figure::of(lower).lower, upper: Figure::of(upper).upper }
    }
}

/// A file that is not a model or a certificate, or needs more work than allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable(pub String);

/// The verdict on `certificate` for the model in `model`: its canonical form, or YAML or JSON of the simple kind (see
/// [`canonical_form`]). `work` bounds the operations on machine words, [`WORK`] being ample.
pub fn check(model: &[u8], certificate: impl BufRead, work: u64) -> Result<Verdict, Unreadable> {
    check_from(model, certificate, work, 0).map(|(verdict, _)| verdict)
}

/// The same, with the figures that are proven for the state at this position, if the certificate is accepted. A fair certificate
/// is for one state, whichever is asked for.
pub fn check_from(
    model: &[u8],
    certificate: impl BufRead,
    work: u64,
    state: usize,
) -> Result<(Verdict, Option<Figures>), Unreadable> {
    let in_model = |Unreadable(why): Unreadable| Unreadable(format!("model: {why}"));
    let in_certificate = |Unreadable(why): Unreadable| Unreadable(format!("certificate: {why}"));
    let work = work::Work::new(work);
    let lines = text::Lines::new(certificate);
    let is_fair = lines.as_ref().is_ok_and(|lines| lines.line() == fair::HEADER);
    let found = if is_fair {
        let form = principals_form(model)?;
        let hash = sha256::hexadecimal(&form);
        let model = principals::Principals::read(&form).map_err(in_model)?;
        fair::check(&model, &hash, lines.map_err(in_certificate)?, work).map(|(meaning, state, payoffs)| {
            let payoffs = payoffs.iter().map(Figure::between).collect();
            (meaning, Some(Figures { state, welfare: None, payoffs }))
        })
    } else {
        let canonical = canonical_form(model)?;
        let hash = sha256::hexadecimal(&canonical);
        let segments = model::Model::read(&canonical).map_err(in_model)?;
        drop(canonical);
        certificate::check(&segments, &hash, lines.map_err(in_certificate)?, work, state).map(|(meaning, welfare)| {
            let figure = |welfare| match welfare {
                certificate::Welfare::Exact(exact) => Figure::of(&exact),
                certificate::Welfare::Between(lower, upper) => Figure { exact: None, lower, upper },
            };
            let figures = welfare.map(|welfare| Figures { state, welfare: Some(figure(welfare)), payoffs: Vec::new() });
            (meaning, figures)
        })
    };
    match found {
        Ok((meaning, figures)) => Ok((Verdict::Accepted(meaning), figures)),
        Err(Stop::Refused(why)) => Ok((Verdict::Refused(why), None)),
        Err(Stop::Unreadable(why)) => Err(in_certificate(Unreadable(why))),
    }
}

/// The same as [`check_from`] on a thread of its own, which polls no signal: `may_go_on` is asked every few milliseconds, and its
/// error ends the wait.
pub fn check_while<E>(
    model: Vec<u8>,
    certificate: impl BufRead + Send + 'static,
    work: u64,
    state: usize,
    mut may_go_on: impl FnMut() -> Result<(), E>,
) -> Result<Result<(Verdict, Option<Figures>), Unreadable>, E> {
    const TICK: Duration = Duration::from_millis(20);
    let (send, receive) = mpsc::channel();
    // Nobody listens once the wait has ended.
    std::thread::spawn(move || send.send(check_from(&model, certificate, work, state)));
    loop {
        match receive.recv_timeout(TICK) {
            Ok(verdict) => return Ok(verdict),
            Err(mpsc::RecvTimeoutError::Timeout) => may_go_on()?,
            Err(mpsc::RecvTimeoutError::Disconnected) => panic!("the checker ends with a verdict"),
        }
    }
}

/// Whether a certificate that begins with these bytes is about each principal, as fair ones are, and the model is needed in
/// [`principals_form`]; an ordinary one is about their sum, and about [`canonical_form`].
pub fn is_fair(beginning: &[u8]) -> bool {
    beginning.starts_with(fair::HEADER.as_bytes())
}

/// The canonical form (§3) of a model given in that form, or in a strict subset of YAML that includes JSON: mappings in
/// block and flow style, plain and quoted scalars on one line, comments.
pub fn canonical_form(model: &[u8]) -> Result<std::borrow::Cow<'_, [u8]>, Unreadable> {
    if is_too_large(model.len() as u64) {
        return Err(Unreadable(format!("model: larger than {MAX_MODEL_BYTES} bytes")));
    }
    if model.starts_with(model::HEADER.as_bytes()) {
        return Ok(model.into());
    }
    if model.starts_with(principals::HEADER.as_bytes()) {
        let how = "commonweal convert MODEL model.canonical";
        return Err(Unreadable(format!("model: the form by principals is for fair certificates; give this one {how}")));
    }
    yaml_text(model).and_then(|text| form(yaml::canonical_form(text)))
}

/// The form by principals of a model given in that form, or in YAML or JSON as for [`canonical_form`]; fair certificates are
/// about it (`docs/formats/fair-certificate-v1.md` §2).
pub fn principals_form(model: &[u8]) -> Result<std::borrow::Cow<'_, [u8]>, Unreadable> {
    if is_too_large(model.len() as u64) {
        return Err(Unreadable(format!("model: larger than {MAX_MODEL_BYTES} bytes")));
    }
    if model.starts_with(principals::HEADER.as_bytes()) {
        return Ok(model.into());
    }
    if model.starts_with(model::HEADER.as_bytes()) {
        let how = "commonweal convert MODEL model.principals";
        return Err(Unreadable(format!("model: a fair certificate needs the form by principals: {how}")));
    }
    yaml_text(model).and_then(|text| form(yaml::principals_form(text)))
}

fn form(read: Result<String, Unreadable>) -> Result<std::borrow::Cow<'static, [u8]>, Unreadable> {
    match read {
        Ok(text) => Ok(text.into_bytes().into()),
        Err(Unreadable(why)) => Err(Unreadable(format!("model: {why}"))),
    }
}

/// The text of a model that may be YAML or JSON.
fn yaml_text(model: &[u8]) -> Result<&str, Unreadable> {
    // Storm's explicit format begins with a comment or `@type`; binary and compressed files are no text.
    let text = std::str::from_utf8(model).ok().filter(|text| !text.contains('\0'));
    text.filter(|text| !text.trim_start().starts_with(['@', '/'])).ok_or_else(|| {
        let how = "commonweal convert MODEL model.canonical, with --discount as for solve";
        Unreadable(format!("model: neither YAML nor JSON nor the canonical form; convert it first: {how}"))
    })
}

/// Whether a model file of this many bytes is too large to be read.
fn is_too_large(n_bytes: u64) -> bool {
    n_bytes > MAX_MODEL_BYTES
}

/// The hash that binds a certificate to a model: SHA-256 of its canonical form, in hexadecimal.
pub fn hash(canonical: &[u8]) -> String {
    sha256::hexadecimal(canonical)
}

/// Why a check ended before it accepted.
#[derive(Debug)]
enum Stop {
    Refused(String),
    Unreadable(String),
}

impl From<Unreadable> for Stop {
    fn from(Unreadable(why): Unreadable) -> Stop {
        Stop::Unreadable(why)
    }
}

/// Ends the check: this claim could not be verified.
fn refuse<T>(why: String) -> Result<T, Stop> {
    Err(Stop::Refused(why))
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Accepted(_) => f.write_str("accepted"),
            Verdict::Refused(why) => write!(f, "refused: {why}"),
        }
    }
}

impl fmt::Display for Meaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Meaning::Optimal => {
                "the strategy is optimal in every state and at every step, and earns the welfare stated"
            }
            Meaning::Bounds => {
                "the strategy earns at least the lower bound in every state, and nobody more than the upper"
            }
            Meaning::Fairest => {
                "the lottery meets the demands stated, and no strategy that does is better by the rule stated"
            }
            Meaning::FairBounds => {
                "by the rule stated the lottery is worth at least the lower bound, and nothing more than the upper"
            }
            Meaning::Infeasible => "no strategy meets the demands stated; each misses one by what is stated, or more",
        })
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unreadable {}

#[cfg(test)]
mod tests {
    use super::is_too_large;

    #[test]
    fn a_model_has_at_most_so_many_bytes() {
        assert_eq!([0, 1 << 32, (1 << 32) + 1, u64::MAX].map(is_too_large), [false, false, true, true]);
    }
}
