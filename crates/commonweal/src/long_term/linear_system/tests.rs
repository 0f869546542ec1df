//! All schemes against plain elimination in fractions, and against each other.
use super::*;
use crate::number::{Integer, Natural, Rational};
#[test]
fn smoke() {
    let r = |a: i64, b: u64| Rational::from_parts(a.into(), b.into());
    let mut s = IntegerSystem::new(2);
    s.push_state(0, &r(1, 2), [(0, &r(1, 3)), (1, &r(2, 3))].into_iter(), &r(5, 7));
    s.push_state(1, &r(1, 2), [(0, &r(1, 1))].into_iter(), &r(-1, 1));
    let v = solve(&s, &|| false).unwrap();
    assert_eq!(v.get(0) - r(1, 6) * v.get(0) - r(1, 3) * v.get(1), r(5, 7));
}
