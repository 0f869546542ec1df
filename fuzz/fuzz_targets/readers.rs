//! The solver's reader of YAML against the checker's.
#![no_main]

#[path = "../bodies.rs"]
#[allow(dead_code, reason = "each fuzzer uses one of them")]
mod bodies;
#[path = "../yaml_mutator.rs"]
mod yaml_mutator;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    bodies::readers(bytes);
});

// Bytes at random seldom leave a model a model: every other mutation moves whole lines and words.
libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    if seed % 2 == 0 {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    let mutated = yaml_mutator::mutate(&data[..size], seed);
    let length = mutated.len().min(max_size);
    data[..length].copy_from_slice(&mutated[..length]);
    length
});
