//! Solves a model, has its proof checked by the separate checker, and plays the strategy.
//!
//! From the root of the repository: `cargo run --release -p commonweal --example hotel`

use commonweal::{Model, Options, SimulateOptions, Strategy, simulate, solve};
use commonweal_check::check;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let model = Model::read("models/paper/hotel.yaml")?;
    let answer = solve(&model, &Options { keep_proof: true, ..Options::default() });
    println!("{}: welfare {}", answer.claim(), answer.welfare(model.start()));
    for change in answer.strategy().changes(model.start()) {
        println!("from step {}: {}", change.from, model.structure().action_name(change.choice));
    }

    // The checker reads the model's canonical form and the proof, and shares no code with the solver.
    let proof = answer.certificate(&model)?.to_bytes()?;
    println!("the checker says: {}", check(&model.canonical(), proof.as_slice(), u64::MAX)?);

    let strategy = Strategy::from(answer.strategy().clone());
    let options = SimulateOptions::default();
    let played = simulate(&model, &strategy, &options)?.welfare;
    println!("{} runs: {} to {}, {} confidence", options.runs, played.lower, played.upper, options.confidence);
    Ok(())
}
