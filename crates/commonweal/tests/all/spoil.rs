//! Spoils certificates: takes a true one apart, makes a claim of it false, and puts it together again.
//!
//! Some forgeries are consistent: what follows from the false claim is worked out and fitted. A forgery may turn out to be
//! true all the same (two choices may tie), so those that are not false by construction say so, and the caller asks an
//! oracle.

use crate::oracle::evaluate::{common_denominator, over, payoffs, positional, weighted};
use crate::oracle::random::Rng;
use crate::oracle::{Plain, Q};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use std::collections::BTreeMap;

/// A certificate in parts.
#[derive(Clone)]
pub struct Certificate {
    /// The lines before `horizon`.
    pub head: Vec<String>,
    pub horizon: u128,
    pub tail: Vec<usize>,
    pub values: Vec<String>,
    pub sections: Vec<Section>,
    pub welfare: Vec<String>,
}

#[derive(Clone)]
pub enum Section {
    /// Values or harmonic numbers: the line above them, and the others.
    Values(String, Vec<String>),
    /// Its first step, and in kind bounds what it gives away a step, in one or two ways.
    Stage(u128, Option<String>, Option<String>),
    Layers(u128, BTreeMap<u128, BTreeMap<usize, usize>>),
}

impl Certificate {
    /// The parts of a certificate that is known to be well formed.
    pub fn parse(text: &str) -> Certificate {
        let mut lines = text.lines().peekable();
        let head =
            std::iter::from_fn(|| lines.next_if(|line| !line.starts_with("horizon"))).map(str::to_owned).collect();
        let last = |line: &str| line.rsplit(' ').next().unwrap().parse::<u128>().unwrap();
        let horizon = last(lines.next().unwrap());
        assert_eq!(lines.next(), Some("tail"));
        let mut tail = Vec::new();
        while let Some(run) = lines.next_if(|line| *line != "values") {
            let (count, choice) = run.split_once(' ').unwrap();
            tail.extend(std::iter::repeat_n(choice.parse::<usize>().unwrap(), count.parse().unwrap()));
        }
        let is_value = |line: &&str| line.starts_with(['-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
        let mut values = || {
            lines.next();
            std::iter::from_fn(|| lines.next_if(|line| is_value(line) || line.starts_with("denominator")))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let first_values = values();
        let mut sections = Vec::new();
        loop {
            let line = *lines.peek().unwrap();
            if line == "welfare" {
                break;
            } else if line == "values" || line.starts_with("harmonic") {
                lines.next();
                let values =
                    std::iter::from_fn(|| lines.next_if(|line| is_value(line) || line.starts_with("denominator")))
                        .map(str::to_owned)
                        .collect::<Vec<_>>();
                sections.push(Section::Values(line.to_owned(), values));
            } else if line.starts_with("stage") {
                let mut words = lines.next().unwrap().split(' ').skip(1);
                let from = words.next().unwrap().parse().unwrap();
                let mut granted = || words.next().map(str::to_owned);
                sections.push(Section::Stage(from, granted(), granted()));
            } else {
                let from = last(lines.next().unwrap());
                let mut changes = BTreeMap::new();
                while let Some(at) = lines.next_if(|line| line.starts_with("at ")) {
                    let entries = std::iter::from_fn(|| lines.next_if(is_value));
                    let pairs = entries.map(|line| line.split_once(' ').unwrap());
                    changes.insert(last(at), pairs.map(|(s, c)| (s.parse().unwrap(), c.parse().unwrap())).collect());
                }
                sections.push(Section::Layers(from, changes));
            }
        }
        lines.next();
        let welfare = lines.take_while(|line| *line != "end").map(str::to_owned).collect();
        Certificate { head, horizon, tail, values: first_values, sections, welfare }
    }

    pub fn text(&self) -> String {
        let mut lines = self.head.clone();
        lines.push(format!("horizon {}", self.horizon));
        lines.push("tail".to_owned());
        for run in self.tail.chunk_by(|left, right| left == right) {
            lines.push(format!("{} {}", run.len(), run[0]));
        }
        lines.push("values".to_owned());
        lines.extend(self.values.iter().cloned());
        for section in &self.sections {
            match section {
                Section::Values(heading, values) => {
                    lines.push(heading.clone());
                    lines.extend(values.iter().cloned());
                }
                Section::Stage(from, each, patient) => {
                    let granted = each.iter().chain(patient).map(|granted| format!(" {granted}"));
                    lines.push(format!("stage {from}{}", granted.collect::<String>()));
                }
                Section::Layers(from, changes) => {
                    lines.push(format!("layers {from}"));
                    for (step, changes) in changes.iter().rev() {
                        lines.push(format!("at {step}"));
                        lines.extend(changes.iter().map(|(state, choice)| format!("{state} {choice}")));
                    }
                }
            }
        }
        lines.push("welfare".to_owned());
        lines.extend(self.welfare.iter().cloned());
        lines.push("end\n".to_owned());
        lines.join("\n")
    }

    /// The positions of the stages.
    pub fn stages(&self) -> Vec<usize> {
        let is_stage = |&position: &usize| matches!(self.sections[position], Section::Stage(..));
        (0..self.sections.len()).filter(is_stage).collect()
    }

    /// The step from which a section goes back.
    fn until(&self, position: usize) -> u128 {
        let earlier = |section: &Section| match section {
            Section::Values(..) => None,
            Section::Stage(from, ..) | Section::Layers(from, _) => Some(*from),
        };
        self.sections[..position].iter().rev().find_map(earlier).unwrap_or(self.horizon)
    }

    /// A certificate of bounds with a stage, or what stands around it, bent in one of six ways, and how. It may be true all the same.
    pub fn bent(mut self, way: usize, state: usize, rng: &mut Rng) -> Option<(&'static str, Certificate)> {
        let stages = self.stages();
        let position = stages[rng.index(stages.len())];
        let until = self.until(position);
        let Section::Stage(from, Some(each), _) = &mut self.sections[position] else { return None };
        let how = match way {
            0 | 1 => {
                let half = write_double(read_double(each) / 2.0);
                *each = [next(each, way == 0 || each == "0x0p+0"), half, "0x0p+0".to_owned()][rng.index(3)].clone();
                "another loss in a stage"
            }
            2 => {
                *from = if rng.chance(2) { *from + 1 } else { from.saturating_sub(1) };
                "a shifted stage"
            }
            3 => {
                let bases = self.sections.iter_mut().filter_map(|section| match section {
                    Section::Values(_, values) => Some(values),
                    _ => None,
                });
                let values = bases.last()?;
                let line = rng.index(values.len());
                values[line] = ["0x1p+10", "-0x1.8p+3", "0x0p+0", "0x1p-1022"][rng.index(4)].to_owned();
                "tampered second values"
            }
            4 => {
                let change = BTreeMap::from([(until - 1, BTreeMap::from([(state, rng.index(2))]))]);
                self.sections.insert(position, Section::Layers(until - 1, change));
                "another action in a stage"
            }
            _ => {
                let layers = self.sections.iter_mut().find(|section| matches!(section, Section::Layers(..)))?;
                let Section::Layers(from, _) = layers else { return None };
                let each = ["0x0p+0", "0x1p-30", "0x1p-3", "0x1p+10"][rng.index(4)].to_owned();
                *layers = Section::Stage(*from, Some(each), None);
                "a stage over changes"
            }
        };
        Some((how, self))
    }

    /// The decisions of every step before the horizon, which must be short.
    pub fn layers(&self) -> Vec<Vec<usize>> {
        let mut decisions = self.tail.clone();
        let mut layers = vec![Vec::new(); self.horizon as usize];
        let mut changes = BTreeMap::new();
        for section in &self.sections {
            if let Section::Layers(_, own) = section {
                changes.extend(own.clone());
            }
        }
        for step in (0..self.horizon).rev() {
            for (&state, &choice) in changes.get(&step).into_iter().flatten() {
                decisions[state] = choice;
            }
            layers[step as usize] = decisions.clone();
        }
        layers
    }

    /// The same with these decisions, layer by layer and without stages.
    pub fn with_layers(&self, layers: &[Vec<usize>]) -> Certificate {
        let mut after = self.tail.clone();
        let mut changes: BTreeMap<u128, BTreeMap<usize, usize>> = BTreeMap::new();
        for (step, layer) in layers.iter().enumerate().rev() {
            for (state, (&now, &then)) in layer.iter().zip(&after).enumerate() {
                if now != then {
                    changes.entry(step as u128).or_default().insert(state, now);
                }
            }
            after.clone_from(layer);
        }
        let sections = if layers.is_empty() { Vec::new() } else { vec![Section::Layers(0, changes)] };
        Certificate { horizon: layers.len() as u128, sections, ..self.clone() }
    }

    /// From which step on each state does what: what the certificate is a claim about.
    pub fn strategy(&self) -> Vec<BTreeMap<u128, usize>> {
        // The last step at which a state does something, with what it does.
        let mut strategy: Vec<BTreeMap<u128, usize>> =
            self.tail.iter().map(|&choice| BTreeMap::from([(u128::MAX, choice)])).collect();
        for section in &self.sections {
            if let Section::Layers(_, changes) = section {
                for (&step, changes) in changes {
                    changes.iter().for_each(|(&state, &choice)| _ = strategy[state].insert(step, choice));
                }
            }
        }
        strategy
    }
}

/// A forgery.
pub struct Spoilt {
    /// What was done.
    pub how: &'static str,
    pub text: String,
    /// The canonical form of the model that goes with it.
    pub model: String,
    /// Whether it may be true all the same, if it is well formed at all.
    pub may_be_true: bool,
}

/// What a certificate of a short horizon is spoilt with.
pub struct Spoiler<'a> {
    pub plain: &'a Plain,
    pub model: &'a str,
    pub certificate: &'a Certificate,
}

/// `x` as a certificate writes it, here always in decimal or hexadecimal as its size asks.
pub fn integer(x: &BigInt) -> String {
    if x.bits() <= 64 {
        x.to_string()
    } else {
        format!("{}0x{}", if x.is_negative() { "-" } else { "" }, x.magnitude().to_str_radix(16))
    }
}

pub fn fraction(x: &Q) -> String {
    if x.is_integer() { integer(x.numer()) } else { format!("{}/{}", integer(x.numer()), integer(x.denom())) }
}

pub fn read_integer(text: &str) -> BigInt {
    let (sign, magnitude) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let value = match magnitude.strip_prefix("0x") {
        Some(digits) => BigInt::parse_bytes(digits.as_bytes(), 16),
        None => BigInt::parse_bytes(magnitude.as_bytes(), 10),
    };
    value.expect("an integer") * sign
}

pub fn read_fraction(text: &str) -> Q {
    let (above, below) = text.split_once('/').unwrap_or((text, "1"));
    Q::new(read_integer(above), read_integer(below))
}

impl Spoiler<'_> {
    /// A forgery of the seed's kind; `None` if the certificate offers nothing to do it to.
    pub fn spoil(&self, rng: &mut Rng) -> Option<Spoilt> {
        let mut forged = self.certificate.clone();
        let bounds = forged.head.iter().any(|line| line == "kind bounds");
        let kind = rng.index(if bounds && !forged.stages().is_empty() { 22 } else { 16 });
        let of = |how, text: String, may_be_true| Some(Spoilt { how, text, model: self.model.to_owned(), may_be_true });
        let false_by_construction = |how, forged: &Certificate| of(how, forged.text(), false);
        let doubtful = |how, forged: Certificate| of(how, forged.text(), true);
        let state = rng.index(self.plain.states.len());
        match kind {
            0 => {
                forged.welfare[state] = self.wrong_welfare(&forged.welfare[state], rng, bounds)?;
                false_by_construction("a wrong welfare", &forged)
            }
            1 => {
                let step = self.random_step(rng)?;
                let mut layers = forged.layers();
                layers[step][state] = self.other_choice(state, layers[step][state], rng)?;
                doubtful("another action in a layer", forged.with_layers(&layers))
            }
            2 => {
                forged.tail[state] = self.other_choice(state, forged.tail[state], rng)?;
                let layers = self.certificate.layers();
                doubtful("another action in the tail", forged.with_layers(&layers))
            }
            3 => {
                let mut layers = forged.layers();
                layers.pop()?;
                let forged = forged.with_layers(&layers);
                // The solver's horizon is the least one.
                if bounds {
                    doubtful("a truncated horizon", forged)
                } else {
                    false_by_construction("a truncated horizon", &forged)
                }
            }
            4 if !bounds => {
                let line = rng.index(forged.values.len());
                let changed = match forged.values[line].strip_prefix("denominator ") {
                    Some(denominator) => {
                        let all_zero = forged.values[line + 1..].iter().take(self.plain.states.len()).all(|v| v == "0");
                        (!all_zero).then(|| format!("denominator {}", integer(&(read_integer(denominator) + 1))))?
                    }
                    None => integer(&(read_integer(&forged.values[line]) + if rng.chance(2) { 1 } else { -1 })),
                };
                forged.values[line] = changed;
                false_by_construction("tampered values", &forged)
            }
            4 => {
                let line = rng.index(forged.values.len());
                forged.values[line] = ["0x1p+10", "-0x1.8p+3", "0x0p+0", "0x1p-1022"][rng.index(4)].to_owned();
                doubtful("tampered values", forged)
            }
            5 => {
                let mut layers = forged.layers();
                layers.remove(self.random_step(rng)?);
                let forged = self.fitted(forged.with_layers(&layers), bounds)?;
                doubtful("a dropped layer with fitted welfare", forged)
            }
            6 => {
                let mut layers = forged.layers();
                let step = self.random_step(rng)?;
                layers[step][state] = self.other_choice(state, layers[step][state], rng)?;
                let forged = self.fitted(forged.with_layers(&layers), bounds)?;
                doubtful("a worse action with fitted welfare", forged)
            }
            7 => {
                let layers = forged.layers();
                forged.tail[state] = self.other_choice(state, forged.tail[state], rng)?;
                let mut forged = forged.with_layers(&layers);
                if bounds {
                    return None;
                }
                forged.values = self.values_of(&forged.tail);
                let forged = self.fitted(forged, bounds)?;
                doubtful("another tail with its own values and fitted welfare", forged)
            }
            8 => {
                let mut layers = forged.layers();
                let step = self.random_step(rng)?;
                let again = layers[step].clone();
                layers.insert(step, again);
                let forged = self.fitted(forged.with_layers(&layers), bounds)?;
                doubtful("a layer twice with fitted welfare", forged)
            }
            9 => {
                let model = self.model.replacen("discounts ", "discounts 999/1000 ", 1);
                let mut lines: Vec<String> = self.model.lines().map(str::to_owned).collect();
                let line = 3 + rng.index(lines.len() - 4);
                let changed = match lines[line].split_once(' ') {
                    Some((reward, rest)) if rest.contains('>') => {
                        format!("{} {rest}", fraction(&(read_fraction(reward) + Q::one())))
                    }
                    _ => return Some(Spoilt { how: "another model", text: forged.text(), model, may_be_true: false }),
                };
                lines[line] = changed;
                let model = lines.join("\n") + "\n";
                Some(Spoilt { how: "another model", text: forged.text(), model, may_be_true: false })
            }
            10 => {
                let hash = forged.head[1].clone();
                let at = hash.len() - 1 - rng.index(64);
                let digit = if &hash[at..=at] == "0" { "1" } else { "0" };
                forged.head[1] = format!("{}{digit}{}", &hash[..at], &hash[at + 1..]);
                false_by_construction("a wrong hash", &forged)
            }
            11 => {
                let other = if bounds { "kind exact" } else { "kind bounds" };
                forged.head[2] = other.to_owned();
                false_by_construction("another kind", &forged)
            }
            12 => {
                let text = forged.text();
                let mut lines: Vec<&str> = text.lines().collect();
                lines.remove(rng.index(lines.len()));
                of("a missing line", lines.join("\n") + "\n", true)
            }
            13 => {
                let text = forged.text();
                let mut lines: Vec<&str> = text.lines().collect();
                let at = rng.index(lines.len());
                lines.insert(at, lines[at]);
                of("a line twice", lines.join("\n") + "\n", true)
            }
            14 => {
                let text = forged.text();
                of("an end too soon", text[..rng.index(text.len())].to_owned(), false)
            }
            16.. => {
                let (how, forged) = forged.bent(kind - 16, state, rng)?;
                doubtful(how, forged)
            }
            _ => {
                let mut bytes = forged.text().into_bytes();
                let at = rng.index(bytes.len());
                bytes[at] = b"x- /\n\xff"[rng.index(6)];
                let text = String::from_utf8_lossy(&bytes).into_owned();
                if text == forged.text() { None } else { of("a damaged character", text, true) }
            }
        }
    }

    fn wrong_welfare(&self, line: &str, rng: &mut Rng, bounds: bool) -> Option<String> {
        if let Some(exact) = line.strip_prefix("exact ") {
            let exact = read_fraction(exact);
            let shift = [Q::one(), -Q::one(), Q::new(1.into(), BigInt::one() << 200)][rng.index(3)].clone();
            return Some(format!("exact {}", fraction(&(exact + shift))));
        }
        let [lower, upper] = line.strip_prefix("between ")?.split(' ').collect::<Vec<_>>()[..] else { return None };
        // The bounds of kind bounds are the tightest that a checker finds: one double nearer is one too many.
        bounds.then(|| {
            if rng.chance(2) {
                format!("between {} {upper}", next(lower, true))
            } else {
                format!("between {lower} {}", next(upper, false))
            }
        })
    }

    fn random_step(&self, rng: &mut Rng) -> Option<usize> {
        (self.certificate.horizon > 0).then(|| rng.index(self.certificate.horizon as usize))
    }

    fn other_choice(&self, state: usize, choice: usize, rng: &mut Rng) -> Option<usize> {
        let n = self.plain.states[state].len();
        (n > 1).then(|| (choice + 1 + rng.index(n - 1)) % n)
    }

    /// The certificate with the welfare that its strategy really earns.
    fn fitted(&self, mut forged: Certificate, bounds: bool) -> Option<Certificate> {
        if bounds {
            return Some(forged);
        }
        let earned = weighted(self.plain, &payoffs(self.plain, &forged.layers(), &forged.tail));
        forged.welfare = earned.iter().map(|earned| format!("exact {}", fraction(earned))).collect();
        Some(forged)
    }

    /// What a tail is worth to the merged principals, as a certificate writes it.
    fn values_of(&self, tail: &[usize]) -> Vec<String> {
        let mut discounts: Vec<Q> = self.plain.principals.iter().map(|who| who.discount.clone()).collect();
        discounts.sort_by(|left, right| right.cmp(left));
        discounts.dedup();
        let mut lines = Vec::new();
        for discount in discounts {
            let reward = |state: usize, choice: usize| {
                let rewards = self.plain.principals.iter().zip(&self.plain.states[state][choice].rewards);
                let group = rewards.filter(|(who, _)| who.discount == discount);
                group.fold(Q::zero(), |sum, (who, reward)| sum + &who.weight * reward)
            };
            let values = positional(self.plain, tail, &discount, reward);
            let common = common_denominator(values.iter().cloned());
            lines.push(format!("denominator {}", integer(&common)));
            lines.extend(values.iter().map(|value| integer(&over(value, &common))));
        }
        lines
    }
}

/// The next double, up or down, in the certificate's notation, which C's is.
fn next(double: &str, up: bool) -> String {
    let value = read_double(double);
    write_double(if up { value.next_up() } else { value.next_down() })
}

pub fn read_double(text: &str) -> f64 {
    let (negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (mantissa, exponent) = rest.strip_prefix("0x").unwrap().split_once('p').unwrap();
    let (leading, digits) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let whole = u64::from_str_radix(&format!("{leading}{digits}"), 16).unwrap();
    let power = exponent.parse::<i32>().unwrap() - 4 * digits.len() as i32;
    // In two steps, so that neither factor leaves the doubles.
    let value = whole as f64 * 2f64.powi(power / 2) * 2f64.powi(power - power / 2);
    if negative { -value } else { value }
}

pub fn write_double(value: f64) -> String {
    let bits = value.to_bits();
    let (biased, low) = (bits >> 52 & 0x7ff, bits & ((1 << 52) - 1));
    let sign = if value < 0.0 { "-" } else { "" };
    match (biased, low) {
        (0, 0) => "0x0p+0".to_owned(),
        (0, low) => format!("{sign}0x0.{low:013x}p-1022"),
        (biased, low) => format!("{sign}0x1.{low:013x}p{:+}", biased as i64 - 1023),
    }
}
