//! Random models for round trips, whatever their names and numbers.

use commonweal::internals::model::{Mdp, ModelBuilder, Principal, StateId};
use commonweal::internals::number::{Rational, parse_rational};
use proptest::{collection::vec, prelude::*, sample::select, string::string_regex};

/// Names that YAML or JSON could take for something else.
const NASTY_NAMES: [&str; 60] = [
    "", " ", "  ", "~", "null", "Null", "no", "on", "y", "true", "False", "1", "01", "0x1F", "1e3", ".inf", "-", "--",
    "---", "...", "- a", "?", "? a", ":", "a:", "a: b", ":a", "a:b", "#", "a #b", "a#b", "<<", "=", "*a", "&a", "!a",
    "!!str a", "|", ">", "%a", "@a", "`a`", "{a", "a}", "[", "]", ",", "a, b", "\"", "'", "it's", "a\\b", "a\nb",
    "a\r\nb", "\ttab", "ä ö", "大堂", "🏨", "start", "to",
];
const NASTY_CHARACTERS: [char; 14] = [
    '\0',
    '\u{1}',
    '\u{7f}',
    '\u{85}',
    '\u{a0}',
    '\u{200b}',
    '\u{202e}',
    '\u{2028}',
    '\u{2029}',
    '\u{d7ff}',
    '\u{e000}',
    '\u{feff}',
    '\u{ffff}',
    '\u{10ffff}',
];

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => select(&NASTY_NAMES[..]).prop_map(str::to_owned),
        2 => string_regex("[a-z][a-z0-9_ .'-]{0,8}").unwrap(),
        1 => vec(select(&NASTY_CHARACTERS[..]), 1..4).prop_map(String::from_iter),
        2 => any::<String>(),
        1 => (900usize..5_000).prop_map(|length| "long ".repeat(length / 5)),
    ]
}

fn names(most: usize) -> impl Strategy<Value = Vec<String>> {
    vec(name(), 1..=most).prop_map(|mut names| {
        let mut seen = std::collections::HashSet::new();
        names.retain(|name| seen.insert(name.clone()));
        names
    })
}

fn number() -> impl Strategy<Value = Rational> {
    prop_oneof![
        3 => (-20i64..20, 1u64..20).prop_map(|(p, q)| Rational::from(p) / Rational::from(q)),
        1 => any::<i64>().prop_map(Rational::from),
        1 => (any::<i128>(), 1..u128::MAX).prop_map(|(p, q)| Rational::from(p) / Rational::from(q)),
        1 => (0usize..9_999, any::<bool>()).prop_map(|(zeros, inverse)| {
            let sign = if inverse { "-" } else { "" };
            parse_rational(&format!("1e{sign}{zeros}")).unwrap()
        }),
    ]
}

/// Positive numbers that sum to 1, from positive weights.
fn distribution(weights: &[u32]) -> Vec<Rational> {
    let total: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
    weights.iter().map(|&weight| Rational::from(weight) / Rational::from(total)).collect()
}

/// A model of up to six states.
pub fn model() -> impl Strategy<Value = Mdp> {
    let discount = (0u64..1_000, 1u64..1_000).prop_map(|(p, q)| Rational::from(p) / Rational::from(p + q));
    let nonzero = number().prop_map(|weight| if weight.is_zero() { Rational::ONE } else { weight });
    let choice = (vec(number(), 4), any::<bool>(), vec((any::<u32>(), 1u32..9), 1..20));
    let state = (names(4), vec(choice, 4));
    (names(4), vec((discount, nonzero), 4), names(6), vec(state, 6), any::<u32>()).prop_map(
        |(principals, parameters, states, choices, start)| {
            let principals = principals.into_iter().zip(parameters);
            let principals = principals
                .map(|(name, (discount, weight))| Principal::new(name, discount).expect("a discount").weighted(weight));
            let principals: Vec<Principal> = principals.collect();
            let n_principals = principals.len();
            let mut builder = ModelBuilder::new(principals, states.iter().map(String::as_str)).unwrap();
            let n = states.len();
            builder.start(StateId::from(start as usize % n));
            for (state, (actions, choices)) in choices.into_iter().take(n).enumerate() {
                for (action, (mut rewards, same, targets)) in actions.iter().zip(choices) {
                    if same {
                        let first = rewards[0].clone();
                        rewards.fill(first);
                    }
                    rewards.truncate(n_principals);
                    let mut drawn: Vec<(usize, u32)> = Vec::new();
                    for (target, weight) in targets {
                        if drawn.iter().all(|&(other, _)| other != target as usize % n) {
                            drawn.push((target as usize % n, weight));
                        }
                    }
                    let probabilities = distribution(&drawn.iter().map(|&(_, weight)| weight).collect::<Vec<_>>());
                    let targets = drawn.iter().map(|&(target, _)| StateId::from(target)).zip(probabilities);
                    builder.choice(StateId::from(state), action, rewards, targets).unwrap();
                }
            }
            builder.finish().unwrap()
        },
    )
}
