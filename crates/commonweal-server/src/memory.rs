//! How much memory a request takes, estimated before it is solved: the model, the solve, and the answer, once as values and once as
//! text.

use crate::limits::{Limits, in_words};
use crate::problem::Problem;
use commonweal::files::TextLimits;
use commonweal::{Engine, Model};

/// A reward in fractions, in the model and in the copies that a solve makes of it. Measured: 80 at 3,000,000 rewards.
const BYTES_A_REWARD: u64 = 128;
/// A number of a document: its name, its bounds, and their text. Measured: 260 at 3,000,000 numbers in doubles.
const BYTES_A_NUMBER: u64 = 400;
/// A name, or one decision, with its text.
const BYTES_A_NAME: u64 = 200;

/// What an answer holds.
#[derive(Debug, Clone, Copy, Default)]
pub struct Held {
    /// Numbers with their bounds; their fractions are counted when they are known.
    pub numbers: u64,
    /// Names and decisions.
    pub names: u64,
}

impl Held {
    /// A number repeats the name of its principal, and a decision those of its state and action, as values and as text.
    fn bytes(self, model: &Model) -> u64 {
        let structure = model.structure();
        let principals = model.principals();
        let all: usize = principals.iter().map(|principal| principal.name.len()).sum();
        let own = 2 * all.div_ceil(principals.len().max(1)) as u64;
        let state = structure.state_names().iter().map(|name| name.len()).max().unwrap_or(0);
        let actions = (0..structure.n_choices()).map(|choice| structure.action_name(choice.into()).len());
        let longest = 2 * (state + actions.max().unwrap_or(0)) as u64;
        let numbers = self.numbers.saturating_mul(BYTES_A_NUMBER.saturating_add(own));
        numbers.saturating_add(self.names.saturating_mul(BYTES_A_NAME.saturating_add(longest)))
    }
}

impl Limits {
    /// The most rewards of a model, one for each action and principal.
    pub(crate) fn most_rewards(&self) -> u64 {
        self.memory_bytes / BYTES_A_REWARD
    }

    /// How much a text may describe. Reading does not look at a request's signal, so it must take no longer than a moment.
    pub(crate) fn of_texts(&self) -> TextLimits {
        const APPROXIMATED: usize = 64;
        TextLimits { rewards: self.most_rewards(), approximated: APPROXIMATED }
    }

    /// Refuses a model that takes more memory than there is, when it is solved and its answer is written.
    pub(crate) fn check_memory(&self, model: &Model, engine: Engine, answer: Held) -> Result<(), Problem> {
        let solve = memory(model, engine);
        if solve > self.memory_bytes {
            let help = match engine {
                Engine::Exact => "leave `exact` out, so that it is proven in doubles, or use the command line",
                Engine::Auto | Engine::Within(_) => "use the command line: `commonweal solve`",
            };
            return Err(self.too_much(model, "solving it", solve).help(help));
        }
        let needed = solve.saturating_add(answer.bytes(model));
        if needed > self.memory_bytes {
            let problem = self.too_much(model, "its answer", needed);
            return Err(problem.help("ask for the start alone, as /api/view does, or use the command line"));
        }
        Ok(())
    }

    /// Refuses an answer whose fractions, of this many digits in total, take more memory than there is.
    pub(crate) fn check_fractions(&self, model: &Model, digits: u64) -> Result<(), Problem> {
        // As a value and as text.
        let needed = digits.saturating_mul(2);
        if needed <= self.memory_bytes {
            return Ok(());
        }
        Err(self.too_much(model, "writing its fractions", needed).help("leave them out: `\"no_exact\": true`"))
    }

    fn too_much(&self, model: &Model, what: &str, bytes: u64) -> Problem {
        Problem::unprocessable(format!(
            "this model has {} states and {} principals: {what} takes about {}, and this server gives a request {}",
            model.n_states(),
            model.n_principals(),
            in_words(bytes),
            in_words(self.memory_bytes)
        ))
    }
}

/// About how many bytes a solve takes. Values in fractions grow with the number of states, and there is one for each state and
/// principal: at 10,000 states each has 81,000 bits, and several generations of them are alive at the same time.
fn memory(model: &Model, engine: Engine) -> u64 {
    const BITS_A_STATE: u64 = 9;
    const GENERATIONS: u64 = 4;
    const BYTES_A_TRANSITION: u64 = 64;
    const ROWS: u64 = 16;
    let (states, principals) = (model.n_states() as u64, model.n_principals() as u64);
    let structure = model.structure();
    let rows = structure.n_transitions() as u64 * BYTES_A_TRANSITION
        + structure.n_choices() as u64 * principals * BYTES_A_REWARD
        + states * principals * ROWS;
    match engine {
        Engine::Within(_) => rows,
        Engine::Exact => rows.saturating_add(GENERATIONS * principals * states.saturating_pow(2) * BITS_A_STATE / 8),
        // It takes fractions only where these are short.
        Engine::Auto => memory(model, engine.suited_to_size(states, principals as usize)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(n_states: usize, n_principals: usize) -> Model {
        let row = |s| format!("  s{s}: {{a: {{to: s{}}}}}\n", (s + 1) % n_states);
        let states: String = (0..n_states).map(row).collect();
        let principals: String = (0..n_principals).map(|p| format!("p{p}: 1/2, ")).collect();
        Model::from_yaml(&format!("principals: {{{principals}}}\nstates:\n{states}")).expect("a ring")
    }

    #[test]
    fn fractions_of_ten_thousand_states_are_too_much_for_a_small_server_and_doubles_are_not() {
        let model = ring(10_000, 2);
        let limits = Limits { memory_bytes: 256 << 20, ..Limits::default() };
        assert!(limits.check_memory(&model, Engine::Exact, Held::default()).is_err());
        assert!(limits.check_memory(&model, Engine::Auto, Held::default()).is_ok());
    }

    #[test]
    fn an_answer_counts_as_much_as_the_solve() {
        let model = ring(300, 100);
        let limits = Limits { memory_bytes: 64 << 20, ..Limits::default() };
        let held = |numbers| Held { numbers, names: 0 };
        let check = |numbers| limits.check_memory(&model, Engine::Within(1e-6), held(numbers));
        assert!(check(100_000).is_ok());
        let refused = check(200_000).expect_err("80 MB of numbers");
        assert!(refused.to_json()["message"].as_str().is_some_and(|text| text.contains("its answer takes about")));
        assert!(limits.check_fractions(&model, 30 << 20).is_ok());
        let refused = limits.check_fractions(&model, 40 << 20).expect_err("80 MB of digits");
        assert!(refused.to_json()["help"].as_str().is_some_and(|text| text.contains("no_exact")));
    }

    /// Every number of a document repeats the name of its principal.
    #[test]
    fn long_names_count() {
        let named = |letters: usize| {
            let principals: String = (0..100).map(|p| format!("p{p}{}: 1/2, ", "x".repeat(letters))).collect();
            let text = format!("principals: {{{principals}}}\nstates: {{s: {{a: {{to: s}}}}}}\n");
            Model::from_yaml(&text).expect("a model")
        };
        let limits = Limits { memory_bytes: 64 << 20, ..Limits::default() };
        let check =
            |letters| limits.check_memory(&named(letters), Engine::Within(1e-6), Held { numbers: 30_000, names: 0 });
        assert!(check(10).is_ok());
        assert!(check(2_000).is_err(), "120 MB of names");
    }
}
