//! Quantiles of the standard normal distribution.
//!
//! Wichura's rational approximations (Algorithm AS 241, routine PPND16, Applied Statistics 37, 1988), of relative error
//! about 10^-16: one in `q²` for `q = p − 1/2` near 0, two in `√(−ln p)` for the tails.

/// The `z` such that a standard normal number lies in `[−z, z]` with the given probability, between 0 and 1.
pub(super) fn two_sided_quantile(confidence: f64) -> f64 {
    let half = confidence / 2.0;
    if half <= 0.425 {
        let r = 0.180625 - half * half;
        return half * polynomial(&A, r) / polynomial(&B, r);
    }
    // 1 − confidence is exact here.
    let r = (-((1.0 - confidence) / 2.0).ln()).sqrt();
    if r <= 5.0 {
        polynomial(&C, r - 1.6) / polynomial(&D, r - 1.6)
    } else {
        polynomial(&E, r - 5.0) / polynomial(&F, r - 5.0)
    }
}

/// `Σ_k coefficients[k] · x^k`.
fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// Numerator and denominator of `z / q` for `|q| ≤ 0.425`, lowest power first.
const A: [f64; 8] = [
    3.3871328727963665,
    133.14166789178438,
    1971.5909503065513,
    13731.69376550946,
    45921.95393154987,
    67265.7709270087,
    33430.57558358813,
    2509.0809287301227,
];
const B: [f64; 8] = [
    1.0,
    42.31333070160091,
    687.1870074920579,
    5394.196021424751,
    21213.794301586597,
    39307.89580009271,
    28729.085735721943,
    5226.495278852854,
];
/// Of `z` for `√(−ln p) ≤ 5`.
const C: [f64; 8] = [
    1.4234371107496835,
    4.630337846156546,
    5.769497221460691,
    3.6478483247632045,
    1.2704582524523684,
    0.2417807251774506,
    0.022723844989269184,
    0.0007745450142783414,
];
const D: [f64; 8] = [
    1.0,
    2.053191626637759,
    1.6763848301838038,
    0.6897673349851,
    0.14810397642748008,
    0.015198666563616457,
    0.0005475938084995345,
    1.0507500716444169e-09,
];
/// Of `z` for `√(−ln p) > 5`.
const E: [f64; 8] = [
    6.657904643501103,
    5.463784911164114,
    1.7848265399172913,
    0.29656057182850487,
    0.026532189526576124,
    0.0012426609473880784,
    2.7115555687434876e-05,
    2.0103343992922881e-07,
];
const F: [f64; 8] = [
    1.0,
    0.599832206555888,
    0.1369298809227358,
    0.014875361290850615,
    0.0007868691311456133,
    1.8463183175100548e-05,
    1.421511758316446e-07,
    2.0442631033899397e-15,
];

#[cfg(test)]
mod tests {
    use super::two_sided_quantile;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        let known = [
            (1e-10, 1.2533141373155003e-10),
            (0.1, 0.12566134685507405),
            (0.5, 0.6744897501960817),
            (0.84, 1.4050715603096324),
            (0.86, 1.4757910281791706),
            (0.9, 1.6448536269514729),
            (0.95, 1.9599639845400538),
            (0.99, 2.5758293035489004),
            (0.999, 3.2905267314918945),
            (0.999999999, 6.109410209383449),
            (0.99999999999, 6.806502478831548),
            (0.9999999999999999, 8.292361075813595),
        ];
        for (confidence, quantile) in known {
            let found = two_sided_quantile(confidence);
            assert!((found - quantile).abs() <= 8.0 * f64::EPSILON * quantile, "{confidence}: {found}, not {quantile}");
        }
    }
}
