//! Means and variances of runs, updated run by run and merged block by block.

/// The values of some runs: for each principal, and as welfare.
#[derive(Debug, Clone)]
pub(super) struct Tally {
    pub(super) runs: u64,
    /// In the order of the principals given.
    pub(super) payoffs: Vec<Moments>,
    pub(super) welfare: Moments,
    /// The greatest number of successive updates of a mean.
    pub(super) n_updates: u64,
}

/// The mean of some numbers and the sum of their squared distances from it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moments {
    pub(super) mean: f64,
    squares: f64,
}

impl Tally {
    /// No runs.
    pub(super) fn none(n_principals: usize) -> Tally {
        let moments = Moments::default();
        Tally { runs: 0, payoffs: vec![moments; n_principals], welfare: moments, n_updates: 0 }
    }

    /// `runs` equal runs.
    pub(super) fn alike(runs: u64, payoffs: &[f64], welfare: f64) -> Tally {
        let moments = |&mean: &f64| Moments { mean, squares: 0.0 };
        Tally { runs, payoffs: payoffs.iter().map(moments).collect(), welfare: moments(&welfare), n_updates: 0 }
    }

    /// Adds a run.
    pub(super) fn add(&mut self, payoffs: &[f64], welfare: f64) {
        self.runs += 1;
        self.n_updates += 1;
        self.payoffs.iter_mut().zip(payoffs).for_each(|(moments, &payoff)| moments.add(payoff, self.runs));
        self.welfare.add(welfare, self.runs);
    }

    /// Adds the runs of another tally.
    pub(super) fn merge(&mut self, other: &Tally) {
        self.payoffs.iter_mut().zip(&other.payoffs).for_each(|(own, its)| own.merge(self.runs, its, other.runs));
        self.welfare.merge(self.runs, &other.welfare, other.runs);
        self.runs += other.runs;
        self.n_updates = self.n_updates.max(other.n_updates) + 1;
    }
}

impl Moments {
    /// Adds the `n`-th number (Welford).
    fn add(&mut self, number: f64, n: u64) {
        let distance = number - self.mean;
        self.mean += distance / n as f64;
        self.squares += distance * (number - self.mean);
    }

    /// Adds `m` other numbers to these `n` (Chan, Golub and LeVeque).
    fn merge(&mut self, n: u64, other: &Moments, m: u64) {
        let distance = other.mean - self.mean;
        let share = m as f64 / (n + m) as f64;
        self.mean += distance * share;
        self.squares += other.squares + distance * distance * share * n as f64;
    }

    /// The estimated standard deviation of the mean of `n` independent numbers: `√(squares / (n − 1) / n)`.
    pub(super) fn standard_error(&self, n: u64) -> f64 {
        match n {
            0 | 1 => f64::INFINITY,
            _ => (self.squares / (n - 1) as f64 / n as f64).sqrt(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(numbers: &[f64]) -> Tally {
        let mut tally = Tally::none(1);
        numbers.iter().for_each(|&number| tally.add(&[number], -number));
        tally
    }

    #[test]
    fn far_from_zero_the_variance_survives() {
        let tally = tally(&[1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0]);
        assert_eq!(tally.payoffs[0].mean, 1e9 + 10.0);
        assert_eq!(tally.payoffs[0].standard_error(4), (30.0f64 / 4.0).sqrt());
        assert_eq!(tally.welfare.mean, -1e9 - 10.0);
    }

    #[test]
    fn merging_is_adding() {
        let numbers: Vec<f64> = (0..100).map(|k| f64::from(k * k % 37)).collect();
        let all = tally(&numbers);
        let mut merged = Tally::none(1);
        for part in [0..1, 1..30, 30..100] {
            merged.merge(&tally(&numbers[part]));
        }
        let close = |a: f64, b: f64| (a - b).abs() <= 100.0 * f64::EPSILON * a.abs();
        assert_eq!(merged.runs, 100);
        assert!(close(all.payoffs[0].mean, merged.payoffs[0].mean));
        assert!(close(all.payoffs[0].standard_error(100), merged.payoffs[0].standard_error(100)));
    }
}
