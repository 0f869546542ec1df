//! Every model solved to optimality has an accepted certificate.
#![no_main]

#[path = "../bodies.rs"]
#[allow(dead_code, reason = "each fuzzer uses one of them")]
mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bodies::solve_then_check(bytes));
