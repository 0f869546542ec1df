//! Places and ticks along an axis: steps of 1, 2 or 5 times a power of ten, or powers of ten on a logarithmic one.

use super::chart::Scale;

/// The numbers that an axis spans, the least first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ruler {
    scale: Scale,
    low: f64,
    high: f64,
}

/// Where ticks are, and what the labelled ones say.
#[derive(Debug, Default)]
pub(super) struct Ticks {
    pub major: Vec<(f64, String)>,
    pub minor: Vec<f64>,
}

impl Ruler {
    /// An axis over all these numbers that have a place on it, with a little room at its ends.
    pub fn over(scale: Scale, numbers: impl Iterator<Item = f64>) -> Ruler {
        let (low, high) = numbers
            .filter(|&x| has_place(scale, x))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        match scale {
            _ if low > high => Ruler::between(scale, if scale == Scale::Log { (1.0, 10.0) } else { (0.0, 1.0) }),
            Scale::Linear => Ruler::with_room(low, high),
            Scale::Log => {
                let room =
                    10f64.powf(0.03 * (high / low).log10().clamp(0.0, 600.0)).max(if low == high { 2.0 } else { 1.02 });
                Ruler { scale, low: (low / room).max(f64::MIN_POSITIVE), high: (high * room).min(f64::MAX) }
            }
        }
    }

    fn with_room(low: f64, high: f64) -> Ruler {
        let scale = Scale::Linear;
        let size = low.abs().max(high.abs());
        // Numbers that differ only by rounding errors are drawn as one.
        if high / 2.0 - low / 2.0 <= 1e-12 * size {
            let room = if size == 0.0 { 1.0 } else { 0.1 * size };
            return Ruler { scale, low: (low - room).max(f64::MIN), high: (high + room).min(f64::MAX) };
        }
        let room = 0.06 * (high / 2.0 - low / 2.0);
        let near_zero = |near: f64, far: f64| near.abs() <= 0.3 * far.abs();
        Ruler {
            scale,
            low: if low >= 0.0 && near_zero(low, high) { 0.0 } else { (low - room).max(f64::MIN) },
            high: if high <= 0.0 && near_zero(high, low) { 0.0 } else { (high + room).min(f64::MAX) },
        }
    }

    /// An axis between two numbers.
    pub fn between(scale: Scale, (low, high): (f64, f64)) -> Ruler {
        Ruler { scale, low, high }
    }

    /// The position of a number: 0 at the least, 1 at the greatest; `None` if it has none.
    pub fn place(&self, x: f64) -> Option<f64> {
        let place = || match self.scale {
            // Halves, so that no difference overflows.
            Scale::Linear => (x / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0),
            Scale::Log => (x.log10() - self.low.log10()) / (self.high.log10() - self.low.log10()),
        };
        has_place(self.scale, x).then(place)
    }

    /// Ticks for about `wanted` labels.
    pub fn ticks(&self, wanted: usize) -> Ticks {
        match self.scale {
            Scale::Linear => linear_ticks(self.low, self.high, wanted),
            Scale::Log => self.log_ticks(wanted),
        }
    }

    fn log_ticks(&self, wanted: usize) -> Ticks {
        let (first, last) = (self.low.log10().ceil() as i32, self.high.log10().floor() as i32);
        let power = |exponent: i32| format!("1e{exponent}").parse::<f64>().expect("a power of ten");
        let inside = |x: f64| (self.low..=self.high).contains(&x);
        let decades = self.high.log10() - self.low.log10();
        if decades < 0.7 {
            let mut ticks = linear_ticks(self.low, self.high, wanted);
            ticks.minor.clear();
            return ticks;
        }
        let multiples = |factors: &[i32]| -> Vec<(i32, i32)> {
            let of = |exponent: i32| factors.iter().map(move |&factor| (factor, exponent));
            (first - 1..=last)
                .flat_map(of)
                .filter(|&(factor, exponent)| inside(f64::from(factor) * power(exponent)))
                .collect()
        };
        let value = |&(factor, exponent): &(i32, i32)| f64::from(factor) * power(exponent);
        let labelled = if decades < 2.0 { multiples(&[1, 2, 5]) } else { multiples(&[1]) };
        let every = labelled.len().div_ceil(wanted.max(2)).max(1) as i32;
        let labelled: Vec<(i32, i32)> = if decades < 2.0 {
            labelled
        } else {
            labelled.into_iter().filter(|(_, exponent)| exponent.rem_euclid(every) == 0).collect()
        };
        let plain = labelled.iter().all(|(_, exponent)| (-3..=3).contains(exponent));
        let label = |&(factor, exponent): &(i32, i32)| match (plain, factor) {
            (true, _) if exponent < 0 => {
                format!("{:.*}", exponent.unsigned_abs() as usize, f64::from(factor) * power(exponent))
            }
            (true, _) => format!("{}", f64::from(factor) * power(exponent)),
            (false, 1) => format!("10{}", superscript(exponent)),
            (false, _) => format!("{factor}×10{}", superscript(exponent)),
        };
        let minor = match decades {
            ..=8.0 => multiples(&[2, 3, 4, 5, 6, 7, 8, 9]),
            _ => multiples(&[1]),
        };
        let minor = minor.iter().filter(|tick| !labelled.contains(tick)).map(value).collect();
        Ticks { major: labelled.iter().map(|tick| (value(tick), label(tick))).collect(), minor }
    }
}

/// Whether an axis has a place for a number.
pub(super) fn has_place(scale: Scale, x: f64) -> bool {
    x.is_finite() && (scale == Scale::Linear || x > 0.0)
}

fn linear_ticks(low: f64, high: f64, wanted: usize) -> Ticks {
    let rough = (high / 2.0 - low / 2.0) / (wanted.max(2) as f64 / 2.0);
    if !(rough > 0.0 && rough.is_finite()) {
        return Ticks::default();
    }
    let mut exponent = rough.log10().floor() as i32;
    let power = |exponent: i32| format!("1e{exponent}").parse::<f64>().expect("a power of ten");
    let mantissa = rough / power(exponent);
    let digit = match mantissa {
        ..1.4 => 1,
        ..2.8 => 2,
        ..7.0 => 5,
        _ => {
            exponent += 1;
            1
        }
    };
    // Tick k is the number k·digit·10^exponent, so its label is exact.
    let step = f64::from(digit) * power(exponent);
    if step == 0.0 || !step.is_finite() {
        return Ticks::default();
    }
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    if !(last - first <= 1000.0 && first.abs() < 1e15 && last.abs() < 1e15) {
        return Ticks::default();
    }
    let multiples = (first as i64)..=(last as i64);
    let greatest = multiples.clone().map(|k| (k * digit as i64).unsigned_abs()).max().unwrap_or(0);
    let major = multiples.map(|k| (k as f64 * step, label(k * digit as i64, exponent, greatest)));
    Ticks { major: major.collect(), minor: Vec::new() }
}

/// The number `digits · 10^exponent`, where no tick has more than `greatest` digits.
fn label(digits: i64, exponent: i32, greatest: u64) -> String {
    let sign = if digits < 0 { "−" } else { "" };
    let size = digits.unsigned_abs();
    // The power of ten of the largest tick.
    let leading = exponent + greatest.checked_ilog10().unwrap_or(0) as i32;
    if size == 0 {
        return "0".to_owned();
    }
    if (-5..=5).contains(&leading) && exponent >= -12 {
        return format!("{sign}{}", grouped(&shifted(size, exponent)));
    }
    format!("{sign}{}×10{}", shifted(size, exponent - leading), superscript(leading))
}

/// `size · 10^exponent` written out.
fn shifted(size: u64, exponent: i32) -> String {
    if exponent >= 0 {
        return format!("{size}{}", "0".repeat(exponent as usize));
    }
    let after = exponent.unsigned_abs() as usize;
    let digits = format!("{size:0>width$}", width = after + 1);
    let (whole, fraction) = digits.split_at(digits.len() - after);
    format!("{whole}.{fraction}")
}

/// An integer with thousands separators, from five digits on.
pub(super) fn grouped(text: &str) -> String {
    if text.len() < 5 || text.contains('.') {
        return text.to_owned();
    }
    let mut grouped = String::new();
    for (at, c) in text.chars().enumerate() {
        if at > 0 && (text.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(c);
    }
    grouped
}

pub(super) fn superscript(exponent: i32) -> String {
    let raised = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32('⁰' as u32 + digit.to_digit(10).expect("a digit")).expect("a raised digit"),
    };
    exponent.to_string().chars().map(raised).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, low: f64, high: f64) -> Vec<String> {
        Ruler::between(scale, (low, high)).ticks(6).major.into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn linear_ticks_are_1_2_or_5_times_a_power_of_ten() {
        assert_eq!(
            labels(Scale::Linear, 0.0, 1.0),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"].map(|l| l.replace("0.0", "0"))
        );
        assert_eq!(labels(Scale::Linear, -3.0, 12.0), ["−2", "0", "2", "4", "6", "8", "10", "12"]);
        assert_eq!(labels(Scale::Linear, 0.0, 48_000.0), ["0", "10,000", "20,000", "30,000", "40,000"]);
        assert_eq!(
            labels(Scale::Linear, 0.0, 3e9),
            ["0", "0.5×10⁹", "1.0×10⁹", "1.5×10⁹", "2.0×10⁹", "2.5×10⁹", "3.0×10⁹"]
        );
        assert_eq!(labels(Scale::Linear, 0.0, 6e-9), ["0", "1×10⁻⁹", "2×10⁻⁹", "3×10⁻⁹", "4×10⁻⁹", "5×10⁻⁹", "6×10⁻⁹"]);
    }

    #[test]
    fn log_ticks_are_powers_of_ten_and_between_them_where_there_is_room() {
        assert_eq!(labels(Scale::Log, 0.5, 2000.0), ["1", "10", "100", "1000"]);
        assert_eq!(labels(Scale::Log, 1.0, 1e7), ["1", "10²", "10⁴", "10⁶"].map(|l| if l == "1" { "10⁰" } else { l }));
        assert_eq!(labels(Scale::Log, 1.0, 30.0), ["1", "2", "5", "10", "20"]);
        assert_eq!(labels(Scale::Log, 2.0, 4.0).len(), 5);
        assert!(labels(Scale::Log, 1e-300, 1e300).len() <= 7);
    }

    #[test]
    fn an_axis_has_a_place_for_all_that_it_was_made_over() {
        for numbers in
            [vec![], vec![0.0], vec![5.0, 5.0], vec![-1e308, 1e308], vec![1e-300, 2e-300], vec![1e15, 1e15 + 1.0]]
        {
            for scale in [Scale::Linear, Scale::Log] {
                let ruler = Ruler::over(scale, numbers.iter().copied().chain([f64::NAN, f64::INFINITY]));
                for &x in numbers.iter().filter(|&&x| has_place(scale, x)) {
                    let place = ruler.place(x).unwrap();
                    assert!((0.0..=1.0).contains(&place), "{numbers:?} {scale:?}: {place}");
                }
                assert!(ruler.ticks(6).major.len() <= 14, "{numbers:?}");
            }
        }
    }
}
