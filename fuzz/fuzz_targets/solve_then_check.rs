//! Whatever is solved to optimality has a certificate that the checker accepts, or asks for too much work.
#![no_main]

use commonweal::certificate::{PRECISION, write_canonical, write_certificate};
use commonweal::stop::StopSignal;
use commonweal::{Outcome, SolveOptions, solve};
use commonweal_check::{Verdict, check};
use libfuzzer_sys::fuzz_target;
use std::time::Duration;

fuzz_target!(|bytes: &[u8]| {
    let Ok(model) = commonweal::io::read_model_bytes(bytes) else { return };
    if model.n_choices() > 40 || bytes.len() > 4_000 {
        return;
    }
    let stop = StopSignal::after(Duration::from_secs(2));
    let solution = solve(&model, &SolveOptions { keep_proof: true, layer_limit: 2_000, stop, ..SolveOptions::default() });
    if solution.outcome() != Outcome::Optimal {
        return;
    }
    let (mut canonical, mut certificate) = (Vec::new(), Vec::new());
    write_canonical(&model, &mut canonical).expect("memory takes every byte");
    write_certificate(&model, &solution, PRECISION, &mut certificate).expect("memory takes every byte");
    if let Ok(Verdict::Refused(why)) = check(&canonical, certificate.as_slice(), 2_000_000_000) {
        panic!("{why}\n{}", String::from_utf8_lossy(&certificate));
    }
});
