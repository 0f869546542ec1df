//! The certified engine by size: `cargo bench --bench certified -- [uniform|band] STATES DISCOUNT,…`
use commonweal::families::Seeded;
use commonweal::model::{Model, ModelBuilder, Principal, StateId};
use commonweal::number::parse_rational;
use commonweal::{SolveOptions, certified};
use std::time::Instant;

fn model(family: &str, n_states: usize, discounts: &str) -> Model<f64> {
    let mut random = Seeded::new(1);
    let principals: Vec<Principal> = discounts
        .split(',')
        .enumerate()
        .map(|(i, text)| Principal {
            name: format!("p{i}"),
            discount: parse_rational(text).unwrap(),
            weight: parse_rational("1").unwrap(),
        })
        .collect();
    let n = principals.len();
    let mut builder = ModelBuilder::<f64>::numbered(principals, n_states).unwrap();
    let unit = |r: &mut Seeded| (r.bits() >> 11) as f64 / (1u64 << 53) as f64;
    for s in 0..n_states {
        for a in ["a", "b"] {
            let targets: Vec<StateId> = match family {
                "uniform" => {
                    random.distinct(5, n_states as u64).into_iter().map(|t| StateId::from(t as usize)).collect()
                }
                _ => random
                    .distinct(5, 41)
                    .into_iter()
                    .map(|d| StateId::from((s + n_states + d as usize - 20) % n_states))
                    .collect(),
            };
            let shares: Vec<f64> = (0..5).map(|_| -(1.0 - unit(&mut random)).ln()).collect();
            let sum: f64 = shares.iter().sum();
            let mut p: Vec<f64> = shares.iter().map(|x| x / sum).collect();
            let rest: f64 = p[1..].iter().sum();
            p[0] = 1.0 - rest;
            let rewards: Vec<f64> = (0..n).map(|_| 20.0 * unit(&mut random) - 10.0).collect();
            builder.choice(StateId::from(s), a, rewards, targets.into_iter().zip(p)).unwrap();
        }
    }
    builder.finish().unwrap()
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let model = model(&args[0], args[1].parse().unwrap(), &args[2]);
    for _ in 0..3 {
        let began = Instant::now();
        let solution = certified::solve(&model, 1e-9, &SolveOptions::default());
        println!(
            "{:?} total {:?} {:?} horizon {} walk {:?} welfare {:?}",
            solution.outcome(),
            began.elapsed(),
            solution.timings(),
            solution.horizon(),
            solution.walk(),
            solution.welfare(0.into()).enclosure
        );
    }
}
