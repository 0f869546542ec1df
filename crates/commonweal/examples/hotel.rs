//! Solves a model, checks the proof with the independent checker, and plays the strategy.
//!
//! `cargo run --release --example hotel`

use commonweal::{Model, Options, SimulateOptions, Strategy, simulate, solve};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let model = Model::read("models/paper/hotel.yaml")?;
    let answer = solve(&model, &Options { keep_proof: true, ..Options::default() });
    println!("{:?}: welfare {}", answer.claim(), answer.welfare(model.start()));

    let certificate = answer.certificate(&model)?.to_bytes()?;
    let verdict = commonweal_check::check(&model.canonical(), &certificate[..], u64::MAX)?;
    println!("The checker says: {verdict}");

    let strategy = Strategy::Counting(answer.strategy().clone());
    let played = simulate(&model, &strategy, &SimulateOptions::default());
    println!("Played 10,000 times: between {} and {}", played.welfare.lower, played.welfare.upper);
    Ok(())
}
