//! The checker's reader of models: no panic, and whatever both readers take for a model they take for the same one.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(ours) = commonweal_check::canonical_form(bytes) else { return };
    let Ok(model) = commonweal::io::read_model_bytes(bytes) else { return };
    let mut theirs = Vec::new();
    commonweal::certificate::write_canonical(&model, &mut theirs).expect("memory takes every byte");
    assert_eq!(ours, theirs);
});
