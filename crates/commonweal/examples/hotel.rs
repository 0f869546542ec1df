//! Solves a model, has its proof checked by the separate checker, and plays the strategy.
//!
//! From the root of the repository: `cargo run --release -p commonweal --example hotel`

use commonweal::questions::{SimulateOptions, simulate};
use commonweal::{Model, Options, solve};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = Model::read("models/paper/hotel.yaml")?;
    let answer = solve(&model, &Options { keep_proof: true, ..Options::default() });
    println!("{}: welfare {}", answer.claim(), answer.welfare(model.start()));
    for change in answer.strategy().changes(model.start()) {
        println!("from step {}: {}", change.from, model.structure().action_name(change.choice));
    }
    let proof = answer.certificate(&model)?.to_bytes()?;
    println!("the checker says: {}", commonweal_check::check(&model.canonical(), proof.as_slice(), u64::MAX)?);
    let played = simulate(&model, &answer.strategy().clone().into(), &SimulateOptions::default())?.welfare;
    println!("played: {} to {}", played.lower, played.upper);
    Ok(())
}
