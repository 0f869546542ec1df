//! How fast something grows: the exponent b of y ≈ a·x^b, with a confidence interval.
//!
//! Least squares on logarithms: b = Σ (u − ū)(v − v̄) / Σ (u − ū)² with u = ln x, v = ln y. Its standard error comes from
//! the residuals with n − 2 degrees of freedom, and the interval is b ± t·error with Student's t at 97.5 %.

use crate::claim::Finding;

/// A fitted exponent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Growth {
    pub exponent: f64,
    /// Half the width of the 95 % confidence interval.
    pub margin: f64,
    /// ln a.
    intercept: f64,
    n: usize,
}

impl Growth {
    /// The exponent of these points, if there are at least three with positive coordinates and two different x.
    pub fn of(points: &[(f64, f64)]) -> Option<Growth> {
        let logs: Vec<(f64, f64)> =
            points.iter().filter(|(x, y)| *x > 0.0 && *y > 0.0).map(|(x, y)| (x.ln(), y.ln())).collect();
        let n = logs.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / n;
        let (u_mean, v_mean) = (mean(|p| p.0), mean(|p| p.1));
        let spread: f64 = logs.iter().map(|(u, _)| (u - u_mean).powi(2)).sum();
        if logs.len() < 3 || spread == 0.0 {
            return None;
        }
        let exponent = logs.iter().map(|(u, v)| (u - u_mean) * (v - v_mean)).sum::<f64>() / spread;
        let intercept = v_mean - exponent * u_mean;
        let residuals: f64 = logs.iter().map(|(u, v)| (v - intercept - exponent * u).powi(2)).sum();
        let error = (residuals / (n - 2.0) / spread).sqrt();
        let margin = student_t(logs.len() - 2) * error;
        Some(Growth { exponent, margin, intercept, n: logs.len() })
    }

    /// The fitted value at `x`.
    pub fn at(&self, x: f64) -> f64 {
        (self.intercept + self.exponent * x.ln()).exp()
    }

    /// Whether the exponent is in that range: it holds if the whole confidence interval lies in it, it fails if the interval is
    /// disjoint from it, and it is open if the interval overlaps the range without being contained in it.
    pub fn within(&self, least: f64, greatest: f64) -> Finding {
        let (low, high) = (self.exponent - self.margin, self.exponent + self.margin);
        if least <= low && high <= greatest {
            Finding::Holds
        } else if high < least || greatest < low {
            Finding::Fails
        } else {
            Finding::Open
        }
    }
}

/// `0.98 ± 0.04 (18 models)`.
impl std::fmt::Display for Growth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.exponent < 0.0 { "−" } else { "" };
        write!(f, "{sign}{:.2} ± {:.2} ({} models)", self.exponent.abs(), self.margin, self.n)
    }
}

/// Student's t with these degrees of freedom that 97.5 % of the distribution lie below.
///
/// With t = √ν·tan θ the density of |θ| is proportional to cos^(ν−1) θ on [0, π/2], so that no gamma function is needed.
fn student_t(freedom: usize) -> f64 {
    let density = |theta: f64| theta.cos().powi(freedom as i32 - 1);
    let whole = integral(density, std::f64::consts::FRAC_PI_2);
    let (mut low, mut high) = (0.0, std::f64::consts::FRAC_PI_2);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if integral(density, middle) < 0.95 * whole { low = middle } else { high = middle }
    }
    (freedom as f64).sqrt() * low.tan()
}

/// The integral of a smooth function from 0 to `end` (Simpson).
fn integral(f: impl Fn(f64) -> f64, end: f64) -> f64 {
    const PARTS: usize = 2000;
    let width = end / PARTS as f64;
    let weight = |i: usize| match i {
        0 | PARTS => 1.0,
        i if i % 2 == 1 => 4.0,
        _ => 2.0,
    };
    (0..=PARTS).map(|i| weight(i) * f(i as f64 * width)).sum::<f64>() * width / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn students_t_is_that_of_the_printed_tables() {
        for (freedom, printed) in [(1, "12.706"), (2, "4.303"), (8, "2.306"), (30, "2.042"), (98, "1.984")] {
            assert_eq!(format!("{:.3}", student_t(freedom)), printed, "{freedom} degrees of freedom");
        }
    }

    #[test]
    fn a_power_is_recovered_and_noise_widens_the_interval() {
        let exact: Vec<(f64, f64)> = (1..20).map(|i| (f64::from(i), 3.0 * f64::from(i).powf(1.5))).collect();
        let growth = Growth::of(&exact).unwrap();
        assert!((growth.exponent - 1.5).abs() < 1e-9 && growth.margin < 1e-9, "{growth:?}");
        assert!((growth.at(4.0) - 24.0).abs() < 1e-6);
        // Worked out by hand: ln y = 0, ln 2, 0 at ln x = 0, ln 2, 2 ln 2. Slope 0; residuals −1/3, 2/3, −1/3 of ln 2, so
        // that the error is √(6/9/1/2) = 0.57735 and the margin 12.706 times that.
        let growth = Growth::of(&[(1.0, 1.0), (2.0, 2.0), (4.0, 1.0)]).unwrap();
        assert!(growth.exponent.abs() < 1e-12);
        assert_eq!(format!("{:.3}", growth.margin), "7.336");
        assert_eq!(growth.within(7.5, 8.0), Finding::Fails);
        assert_eq!(growth.within(7.0, 8.0), Finding::Open);
        assert_eq!(growth.within(-8.0, 8.0), Finding::Holds);
    }

    #[test]
    fn a_power_of_1_37_leaves_open_whether_growth_is_linear() {
        let growth = |exponent, margin| Growth { exponent, margin, intercept: 0.0, n: 9 };
        assert_eq!(growth(1.37, 0.16).within(0.75, 1.25), Finding::Open);
        assert_eq!(growth(1.05, 0.16).within(0.75, 1.25), Finding::Holds);
        assert_eq!(growth(1.0, 0.6).within(0.75, 1.25), Finding::Open, "nothing is known of it");
        assert_eq!(growth(2.0, 0.1).within(0.75, 1.25), Finding::Fails);
    }

    #[test]
    fn too_few_points_say_nothing() {
        assert_eq!(Growth::of(&[(1.0, 1.0), (2.0, 2.0)]), None);
        assert_eq!(Growth::of(&[(2.0, 1.0), (2.0, 2.0), (2.0, 3.0)]), None);
        assert_eq!(Growth::of(&[(1.0, 0.0), (2.0, 2.0), (3.0, 3.0)]), None);
    }
}
