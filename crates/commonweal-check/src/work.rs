//! A budget of work (§9), so that no file can make the checker run for ever.

use crate::Stop;
use num_bigint::BigInt;
use std::cell::Cell;
use std::rc::Rc;

/// The most machine words that the exact values of a principal may take: 2 GiB.
const MEMORY: u64 = 1 << 28;

/// What is left of the budget, in operations on machine words, and how many words may be held. Clones spend from the same budget.
#[derive(Clone)]
pub struct Work {
    left: Rc<Cell<u64>>,
    memory: u64,
}

impl Work {
    pub fn new(limit: u64) -> Work {
        Work { left: Rc::new(Cell::new(limit)), memory: MEMORY }
    }

    /// Takes `count` times `each` from the budget, before they are spent.
    pub fn spend(&mut self, count: u64, each: u64) -> Result<(), Stop> {
        match count.checked_mul(each).and_then(|amount| self.left.get().checked_sub(amount)) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => Err(Stop::Unreadable("checking it would take more work than is allowed".to_owned())),
        }
    }

    /// Refuses to hold more words than the budget allows.
    pub fn hold(&self, n_words: u64) -> Result<(), Stop> {
        if n_words <= self.memory {
            Ok(())
        } else {
            Err(Stop::Unreadable("its exact values would not fit in memory".to_owned()))
        }
    }
}

/// The machine words of a number.
pub fn words(number: &BigInt) -> u64 {
    number.bits() / 64 + 1
}

/// The binary digits of a step; a power costs one or two products for each.
pub fn digits(step: u128) -> u64 {
    u64::from(u128::BITS - step.leading_zeros())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_spent_to_the_last_operation() {
        let mut work = Work::new(12);
        assert!(work.spend(3, 4).is_ok() && work.spend(0, 1).is_ok() && work.spend(1, 1).is_err());
        assert!(Work::new(u64::MAX).spend(u64::MAX, 2).is_err());
        let work = Work { memory: 1_000, ..Work::new(0) };
        assert!(work.hold(1_000).is_ok() && work.hold(1_001).is_err());
        assert!(Work::new(0).hold(1 << 28).is_ok() && Work::new(0).hold((1 << 28) + 1).is_err());
    }

    #[test]
    fn words_and_digits_are_counted_from_the_first_bit() {
        let counted = |bits: u64| words(&((BigInt::from(1) << bits) - 1));
        assert_eq!([0, 63, 64, 127, 128].map(counted), [1, 1, 2, 2, 3]);
        assert_eq!([0, 1, 2, 3, 4, 1 << 96].map(digits), [0, 1, 2, 2, 3, 97]);
    }
}
