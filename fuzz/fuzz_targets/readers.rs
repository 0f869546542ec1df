//! The solver's reader of YAML against the checker's.
#![no_main]

#[path = "../bodies.rs"]
#[allow(dead_code, reason = "each fuzzer uses one of them")]
mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    bodies::readers(bytes);
});
