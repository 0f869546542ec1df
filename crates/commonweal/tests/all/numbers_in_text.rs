//! Numbers as reports print them: what is shown is true of everything between the bounds.

use commonweal::Value;
use commonweal::numbers::Enclosure;
use commonweal::text::numbers::{ends, in_column, interval};

fn between(lower: f64, upper: f64) -> Value {
    Value::from(Enclosure::new(lower, upper))
}

#[test]
fn a_number_without_bounds_lies_between_them() {
    let shown = |lower: f64, upper: f64| in_column(&between(lower, upper));
    assert_eq!(shown(204.58, 204.74), "204.7");
    assert_eq!(shown(-204.74, -204.58), "−204.7");
    assert_eq!(shown(14.1111, 14.1132), "14.112");
    assert_eq!(shown(2.9999, 3.0002), "3");
    assert_eq!(shown(1.00041e12, 1.00045e12), "1.00043e12");
    assert_eq!(shown(4e-7, 4.001e-7), "4.00e-7");
    // Three digits are not known.
    assert_eq!(shown(0.1001, 0.1009), "[0.1001, 0.1009]");
    // The ends are nearer to each other than the last digit that columns have.
    assert_eq!(shown(1.23456781, 1.23456789), "1.234568");
    let mut x = 1.2345e-20_f64;
    while x < 1e20 {
        for width in [1e-3, 3e-4, 1e-5, 2e-6] {
            let (lower, upper) = (x * (1.0 - 0.3 * width), x * (1.0 + 0.6 * width));
            let number: f64 = shown(lower, upper).parse().unwrap();
            let is_last_digit = (number - x).abs() <= 1e-6 && (1e-3..1e9).contains(&x);
            assert!(lower <= number && number <= upper || is_last_digit, "{number} of {lower} {upper}");
        }
        x *= 1.37;
    }
}

#[test]
fn bounds_around_nothing_say_so() {
    assert_eq!(interval(&between(-1e-17, 1e-17)), "0 ± 1e-17");
    assert_eq!(interval(&between(-1.2e-17, 3e-18)), "0 ± 2e-17");
    assert_eq!(interval(&between(0.0, 9.6e-12)), "0 ± 1e-11");
    assert_eq!(interval(&between(-5e-324, 5e-324)), "0 ± 1e-290");
    assert_eq!(interval(&between(-1.77e-14, 35.5)), "[0 − 2e-14, 35.5]");
    assert_eq!(interval(&between(1e-12, 3e-12)), "[1e-12, 3e-12]");
    assert_eq!(ends(-1.77e-14, 0.0), ["0 − 2e-14", "0"]);
    assert_eq!(ends(-4e-12, -3e-12), ["−4e-12", "−3e-12"]);
    // One digit, rounded up.
    for k in 1..400 {
        let x = 1e-9 * 0.93f64.powi(k);
        let shown = interval(&between(-x, x));
        let radius: f64 = shown.strip_prefix("0 ± ").expect("0 and a radius").parse().unwrap();
        assert!(x <= radius && radius <= 2.0 * x, "{shown} for {x}");
    }
}
