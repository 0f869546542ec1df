//! The limits of a request: bytes, time, memory, and the length of the queue.

use crate::problem::Problem;
use commonweal::{Engine, Model};
use std::time::Duration;

/// The limits of a server.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The most bytes of a request's body. Default: 8 MiB.
    pub body_bytes: usize,
    /// How many requests are computed at the same time. Default: one for each core, and two at least.
    pub running: usize,
    /// How many more may wait for their turn. Default: 128.
    pub waiting: usize,
    /// How long a request may compute before its answer is the bounds so far. Default: 30 seconds.
    pub time: Duration,
    /// How many threads one request computes on. Default: one for each core.
    pub threads: usize,
    /// A model that seems to need more memory than this is refused. Default: 2 GiB.
    pub memory_bytes: u64,
    /// How many connections are open at the same time. Default: 512.
    pub connections: usize,
    /// How long a client may take to send the head of a request, and again for its body. Default: 10 seconds.
    pub patience: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Limits {
            body_bytes: 8 << 20,
            running: cores.max(2),
            waiting: 128,
            time: Duration::from_secs(30),
            threads: cores,
            memory_bytes: 2 << 30,
            connections: 512,
            patience: Duration::from_secs(10),
        }
    }
}

/// A model with fewer states is solved on one thread.
const FEW_STATES: usize = 200;

impl Limits {
    /// The number of threads for this model.
    pub(crate) fn threads_for(&self, model: &Model) -> usize {
        if model.n_states() < FEW_STATES { 1 } else { self.threads }
    }

    /// Refuses a model whose estimated memory exceeds the limit.
    pub(crate) fn check_memory(&self, model: &Model, engine: Engine) -> Result<(), Problem> {
        let needed = memory(model, engine);
        if needed <= self.memory_bytes {
            return Ok(());
        }
        let message = format!(
            "this model has {} states: solving it takes about {}, and this server gives a request {}",
            model.n_states(),
            in_words(needed),
            in_words(self.memory_bytes)
        );
        let help = match engine {
            Engine::Exact => "leave `exact` out, so that it is proven in doubles, or use the command line",
            Engine::Auto | Engine::Within(_) => "use the command line: `commonweal solve`",
        };
        Err(Problem::unprocessable(message).help(help))
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
        + structure.n_choices() as u64 * principals * ROWS
        + states * principals * ROWS;
    match engine {
        Engine::Within(_) => rows,
        Engine::Exact => rows.saturating_add(GENERATIONS * principals * states.saturating_pow(2) * BITS_A_STATE / 8),
        // It takes fractions only where these are short.
        Engine::Auto => memory(model, engine.suited_to_size(states, principals as usize)),
    }
}

/// A number of bytes with a unit.
pub(crate) fn in_words(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..=0xf_ffff => (1 << 10, "kB"),
        0x10_0000..=0x3fff_ffff => (1 << 20, "MB"),
        _ => (1 << 30, "GB"),
    };
    let amount = bytes as f64 / f64::from(unit);
    if amount < 10.0 { format!("{amount:.1} {name}") } else { format!("{amount:.0} {name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_told_in_the_unit_that_fits() {
        assert_eq!(in_words(1 << 10), "1.0 kB");
        assert_eq!(in_words(8 << 20), "8.0 MB");
        assert_eq!(in_words(20 << 30), "20 GB");
    }

    #[test]
    fn fractions_of_ten_thousand_states_are_too_much_for_a_small_server_and_doubles_are_not() {
        let states: String = (0..10_000).map(|s| format!("  s{s}: {{a: {{to: s{}}}}}\n", (s + 1) % 10_000)).collect();
        let model = Model::from_yaml(&format!("principals: {{p: 1/2, q: 1/3}}\nstates:\n{states}")).expect("a ring");
        let limits = Limits { memory_bytes: 256 << 20, ..Limits::default() };
        assert!(limits.check_memory(&model, Engine::Exact).is_err());
        assert!(limits.check_memory(&model, Engine::Auto).is_ok());
    }
}
