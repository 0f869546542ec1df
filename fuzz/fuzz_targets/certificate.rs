//! The checker on certificates of the hotel: no panic, no hang, and nothing is accepted but what is true of it.
#![no_main]

use libfuzzer_sys::fuzz_target;

const HOTEL: &[u8] = include_bytes!("../../crates/commonweal-check/tests/models/hotel.yaml");

fuzz_target!(|certificate: &[u8]| {
    let Ok(verdict) = commonweal_check::check(HOTEL, certificate, 20_000_000) else { return };
    if verdict.to_string() != "accepted" {
        return;
    }
    // The welfare is 127/9 and 27: what is stated exactly must be that.
    let text = std::str::from_utf8(certificate).expect("ASCII");
    let stated: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("exact ")).collect();
    for stated in stated {
        let (above, below) = stated.split_once('/').unwrap_or((stated, "1"));
        if let (Ok(above), Ok(below)) = (above.parse::<i128>(), below.parse::<i128>()) {
            assert!(above * 9 == 127 * below || above == 27 * below, "{stated}");
        }
    }
});
