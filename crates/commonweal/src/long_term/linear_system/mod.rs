//! stub
use crate::number::*;
use dashu_base::*;
pub struct IntegerSystem {
    rows: Vec<(Vec<(usize, Rational)>, Rational)>,
}
impl IntegerSystem {
    pub fn new(_n: usize) -> Self {
        IntegerSystem { rows: vec![] }
    }
    pub fn push_state<'a>(
        &mut self,
        state: usize,
        discount: &Rational,
        transitions: impl Iterator<Item = (usize, &'a Rational)>,
        reward: &Rational,
    ) {
        let mut row = vec![(state, Rational::ONE)];
        for (t, p) in transitions {
            row.push((t, -(discount * p)));
        }
        self.rows.push((row, reward.clone()));
    }
}
pub fn solve(system: &IntegerSystem, _stop: &(dyn Fn() -> bool + Sync)) -> Option<ExactVector> {
    let n = system.rows.len();
    let mut m: Vec<Vec<Rational>> = system
        .rows
        .iter()
        .map(|(r, b)| {
            let mut v = vec![Rational::ZERO; n + 1];
            for (c, x) in r {
                v[*c] += x;
            }
            v[n] = b.clone();
            v
        })
        .collect();
    for c in 0..n {
        let p = (c..n).find(|&r| !m[r][c].is_zero()).unwrap();
        m.swap(c, p);
        let inv = Rational::ONE / &m[c][c];
        for x in m[c].iter_mut() {
            *x *= &inv;
        }
        let row = m[c].clone();
        for r in 0..n {
            if r != c && !m[r][c].is_zero() {
                let f = m[r][c].clone();
                for k in 0..=n {
                    if !row[k].is_zero() {
                        let d = &f * &row[k];
                        m[r][k] -= d;
                    }
                }
            }
        }
    }
    let den = m.iter().fold(Natural::ONE, |l, r| crate::model::least_common_multiple(&l, r[n].denominator()));
    Some(ExactVector {
        numerators: m.iter().map(|r| r[n].numerator() * IBig::from(&den / r[n].denominator())).collect(),
        denominator: den,
    })
}
type IBig = Integer;
