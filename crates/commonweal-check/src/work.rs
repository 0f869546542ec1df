//! A budget of work (§9), so that no file can make the checker run for ever.

use crate::Stop;
use num_bigint::BigInt;

/// What is left of the budget, in operations on machine words.
pub struct Work {
    left: u64,
}

impl Work {
    pub fn new(limit: u64) -> Work {
        Work { left: limit }
    }

    /// Takes `count` times `each` from the budget, before they are spent.
    pub fn spend(&mut self, count: u64, each: u64) -> Result<(), Stop> {
        match count.checked_mul(each).and_then(|amount| self.left.checked_sub(amount)) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(Stop::Unreadable("checking it would take more work than is allowed".to_owned())),
        }
    }
}

/// The machine words of a number.
pub fn words(number: &BigInt) -> u64 {
    number.bits() / 64 + 1
}

/// The binary digits of a step, each of which costs a power a squaring or two.
pub fn digits(step: u128) -> u64 {
    u64::from(u128::BITS - step.leading_zeros())
}
