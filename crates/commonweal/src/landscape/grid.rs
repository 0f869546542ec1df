//! Discounts or rates at equal distances, and shards of the work on them.

use crate::model::{Preference, Principal, PrincipalId, Structure, discount_of};
use crate::number::Rational;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Between two neighbours of a grid, changes are located to 2 to this power in parts of their distance.
const BITS: u32 = 40;
/// The units between two neighbours of a grid.
pub(super) const UNITS: u64 = 1 << BITS;
/// For pictures, to 2 to this power.
pub(super) const PICTURE_BITS: u32 = 16;
/// Changes closer to each other than this many units are not separated.
pub(super) const CROWD: u64 = UNITS >> 20;

/// The quantity of a principal that varies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Quantity {
    /// The discount λ.
    #[default]
    Discount,
    /// The rate r, which is the discount 1/(1+r).
    Rate,
    /// The weight of the payoff in the welfare.
    Weight,
}

/// Why a name does not say what varies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotVaried {
    /// There is no principal of that name.
    NoPrincipal(String),
    /// The principal has no quantity of that name that could vary.
    NoQuantity {
        /// The principal.
        owner: String,
        /// What was to vary.
        quantity: String,
    },
}

/// The principal whose discount varies, or whose rate or weight if `.rate` or `.weight` stands behind the name.
pub fn varied(model: &Structure, name: &str) -> Result<(PrincipalId, Quantity), NotVaried> {
    // A name may have a dot.
    if let Some(principal) = model.find_principal(name) {
        return Ok((principal, Quantity::Discount));
    }
    let no_principal = |name: &str| NotVaried::NoPrincipal(name.to_owned());
    if let (owner, Some(quantity)) = Quantity::behind(name) {
        return model.find_principal(owner).map(|principal| (principal, quantity)).ok_or_else(|| no_principal(owner));
    }
    match name.rsplit_once('.').filter(|(owner, _)| model.find_principal(owner).is_some()) {
        Some((owner, quantity)) => {
            Err(NotVaried::NoQuantity { owner: owner.to_owned(), quantity: quantity.to_owned() })
        }
        None => Err(no_principal(name)),
    }
}

impl std::fmt::Display for NotVaried {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotVaried::NoPrincipal(name) => write!(f, "there is no principal `{name}`"),
            NotVaried::NoQuantity { owner, quantity } => write!(
                f,
                "`{quantity}` of `{owner}` cannot be varied; write {owner}.rate, {owner}.discount or {owner}.weight"
            ),
        }
    }
}

impl std::error::Error for NotVaried {}

impl Quantity {
    /// A name without the `.discount`, `.rate` or `.weight` behind it, and which of them that is.
    pub fn behind(name: &str) -> (&str, Option<Quantity>) {
        let stated = |quantity: Quantity| {
            let owner = name.strip_suffix(quantity.name())?.strip_suffix('.')?;
            Some((owner, Some(quantity)))
        };
        [Quantity::Discount, Quantity::Rate, Quantity::Weight].into_iter().find_map(stated).unwrap_or((name, None))
    }

    /// The two ends of the usual range of a map's axis.
    pub fn usual_range(self) -> [&'static str; 2] {
        match self {
            Quantity::Discount => ["0", "0.999"],
            Quantity::Rate => ["0.1%", "20%"],
            Quantity::Weight => ["0", "2"],
        }
    }

    /// The preference with this value; `None` for a weight.
    pub fn preference(self, value: Rational) -> Option<Preference> {
        match self {
            Quantity::Discount => Some(Preference::discount(value)),
            Quantity::Rate => Some(Preference::rate(value)),
            Quantity::Weight => None,
        }
    }

    /// The discount that has this value, where that is what varies.
    pub fn discount(self, value: &Rational) -> Option<Rational> {
        match self {
            Quantity::Discount => Some(value.clone()),
            Quantity::Rate => Some(discount_of(value)),
            Quantity::Weight => None,
        }
    }

    /// The value that a principal has, if it has a single one.
    pub fn of(self, principal: &Principal) -> Option<Rational> {
        let discount = || principal.preference().single_discount();
        match self {
            Quantity::Discount => discount(),
            Quantity::Rate => {
                let discount = discount().filter(|discount| !discount.is_zero())?;
                Some(Rational::ONE / discount - Rational::ONE)
            }
            Quantity::Weight => Some(principal.weight.clone()),
        }
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Discount => "discount",
            Quantity::Rate => "rate",
            Quantity::Weight => "weight",
        }
    }

    /// Whether it is a discount, which documents need not say.
    pub(crate) fn is_discount(&self) -> bool {
        *self == Quantity::Discount
    }
}

/// Discounts, rates or weights at equal distances, both ends included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    /// What they are.
    pub quantity: Quantity,
    /// The least one: a discount of at least 0, or a rate above 0.
    pub from: Rational,
    /// The greatest one: a discount below 1, or a rate of at most 1.
    pub to: Rational,
    /// How many steps lead from one end to the other; 0 if the ends are equal.
    pub steps: u64,
    /// How near to each other the two sides of a change are, in units of 2^-40 of a step.
    within: u64,
}

impl Grid {
    /// The grid from one discount to another in this many steps; equal ends are a single point. Changes between its points are
    /// located to 2^-40 of a step.
    pub fn new(from: Rational, to: Rational, steps: u64) -> Grid {
        let steps = if from == to { 0 } else { steps };
        Grid { quantity: Quantity::Discount, from, to, steps, within: 1 }
    }

    /// The same, whose changes are only known to lie between neighbouring points: nothing is solved besides these.
    pub fn between_points(self) -> Grid {
        Grid { within: UNITS, ..self }
    }

    /// The same, whose changes are located as finely as a picture can show.
    pub fn for_pictures(self) -> Grid {
        Grid { within: UNITS >> PICTURE_BITS, ..self }
    }

    /// How near to each other the two sides of a change are, in units.
    pub(super) fn within(&self) -> u64 {
        self.within
    }

    /// Whether changes are located between neighbouring points.
    pub fn locates_changes(&self) -> bool {
        self.within < UNITS
    }

    /// The same grid of another quantity.
    pub fn of(self, quantity: Quantity) -> Grid {
        Grid { quantity, ..self }
    }

    /// The number of discounts.
    pub fn n_points(&self) -> u64 {
        self.steps + 1
    }

    /// The discount of that index.
    pub fn point(&self, index: u64) -> Rational {
        self.place(index, 0)
    }

    /// The place that lies `units` after the discount of that index.
    pub fn place(&self, index: u64, units: u64) -> Rational {
        if self.steps == 0 {
            return self.from.clone();
        }
        let units = Rational::from(index) * Rational::from(UNITS) + Rational::from(units);
        let all = Rational::from(self.steps) * Rational::from(UNITS);
        &self.from + (&self.to - &self.from) * (units / all)
    }

    /// How near to each other the two sides of a change are.
    pub fn width(&self) -> Rational {
        self.length(self.within)
    }

    /// The length of that many units.
    pub(super) fn length(&self, units: u64) -> Rational {
        self.place(0, units) - &self.from
    }

    /// The place that lies `units` after the first discount, as the nearest double.
    pub fn double(&self, units: u64) -> f64 {
        let (from, to) = (self.from.to_f64(), self.to.to_f64());
        from + (to - from) * (units as f64 / self.units())
    }

    /// The units from one end to the other.
    pub(super) fn units(&self) -> f64 {
        self.steps as f64 * UNITS as f64
    }
}

/// Part `number` of `of` equal parts of some work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    number: u64,
    of: u64,
}

impl Shard {
    /// All of the work.
    pub const WHOLE: Shard = Shard { number: 1, of: 1 };

    /// Part `number` of `of`, counted from 1; `None` if there is no such part.
    pub fn new(number: u64, of: u64) -> Option<Shard> {
        (1..=of).contains(&number).then_some(Shard { number, of })
    }

    /// The indices that this shard takes: every `of`-th.
    pub fn indices(self, all: Range<u64>) -> impl Iterator<Item = u64> {
        all.filter(move |index| index % self.of == self.number - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::parse_rational;

    #[test]
    fn shards_are_disjoint_and_complete() {
        let shard = |number| Shard::new(number, 3).unwrap();
        let mut all: Vec<u64> = (1..=3).flat_map(|number| shard(number).indices(0..11).collect::<Vec<_>>()).collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..11));
        assert_eq!([Shard::new(0, 3), Shard::new(4, 3), Shard::new(1, 0)], [None; 3]);
    }

    #[test]
    fn a_grid_is_exact_and_ends_where_it_should() {
        let number = |text: &str| parse_rational(text).unwrap();
        let grid = Grid::new(number("1/10"), number("0.7"), 3);
        let points: Vec<String> = (0..grid.n_points()).map(|index| grid.point(index).to_string()).collect();
        assert_eq!(points, ["1/10", "3/10", "1/2", "7/10"]);
        assert_eq!(grid.place(0, UNITS), grid.point(1));
        assert_eq!(Grid::new(number("0"), number("0"), 5).n_points(), 1);
    }
}
