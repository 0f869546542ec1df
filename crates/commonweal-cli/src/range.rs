//! Ranges of discounts and shards of work, as the command line gives them.

use crate::input::suggestion;
use anyhow::{Context, anyhow, bail};
use commonweal::internals::model::{Mdp, PrincipalId};
use commonweal::internals::number::{Rational, parse_rational};
use std::ops::Range;

/// Between two neighbours of a grid, changes are located to 2 to this power in parts of their distance.
const BITS: u32 = 40;
/// The units between two neighbours of a grid.
pub const UNITS: u64 = 1 << BITS;
/// Changes that are nearer to each other than this many units are not told apart.
pub const CROWD: u64 = UNITS >> 20;

/// Discounts at equal distances, both ends included.
#[derive(Debug, Clone)]
pub struct Grid {
    pub from: Rational,
    pub to: Rational,
    /// How many steps lead from one end to the other.
    pub steps: u64,
}

impl Grid {
    /// The grid over `FROM..TO`, which lies in [0, 1).
    pub fn over(option: &str, text: &str, steps: u64) -> anyhow::Result<Grid> {
        let form = || anyhow!("{option}: `{text}` is not FROM..TO, such as 0.1..0.9 or 1/3..2/3");
        let (from, to) = text.split_once("..").ok_or_else(form)?;
        let number = |text: &str| parse_rational(text).with_context(|| option.to_owned());
        let (from, to) = (number(from)?, number(to)?);
        for end in [&from, &to] {
            if *end < Rational::ZERO || *end >= Rational::ONE {
                bail!("{option}: {end} is no discount; a discount is at least 0 and below 1");
            }
        }
        if from > to {
            bail!("{option}: {from} is greater than {to}; give the lesser discount first");
        }
        let steps = if from == to { 0 } else { steps };
        Ok(Grid { from, to, steps })
    }

    pub fn n_points(&self) -> u64 {
        self.steps + 1
    }

    /// The point of that index.
    pub fn point(&self, index: u64) -> Rational {
        self.place(index, 0)
    }

    /// A place so many units after the point of that index.
    pub fn place(&self, index: u64, units: u64) -> Rational {
        if self.steps == 0 {
            return self.from.clone();
        }
        let units = Rational::from(index) * Rational::from(UNITS) + Rational::from(units);
        let all = Rational::from(self.steps) * Rational::from(UNITS);
        &self.from + (&self.to - &self.from) * (units / all)
    }

    /// The distance of neighbours in units of it.
    pub fn unit(&self) -> Rational {
        self.place(0, 1) - &self.from
    }
}

/// `NAME=FROM..TO`: the principal of that name, and the rest.
pub fn assigned<'t>(option: &str, text: &'t str, model: &Mdp) -> anyhow::Result<(PrincipalId, &'t str)> {
    let (name, range) = text
        .rsplit_once('=')
        .ok_or_else(|| anyhow!("{option}: `{text}` is not PRINCIPAL=FROM..TO, such as alice=0.1..0.9"))?;
    Ok((principal(option, name, model)?, range))
}

/// The principal of that name.
pub fn principal(option: &str, name: &str, model: &Mdp) -> anyhow::Result<PrincipalId> {
    let names = model.principals().iter().map(|principal| principal.name.as_str());
    model.find_principal(name).ok_or_else(|| {
        anyhow!("{option}: there is no principal `{name}`{}", suggestion(name, names, "the principals are"))
    })
}

/// Part I of N of some work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    number: u64,
    of: u64,
}

impl Shard {
    /// All of it.
    pub const WHOLE: Shard = Shard { number: 1, of: 1 };

    /// `I/N`, where I is 1 to N.
    pub fn parse(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match parts {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Shard { number, of }),
            _ => Err("write I/N with I from 1 to N, such as 1/4 for the first of four parts".to_owned()),
        }
    }

    /// The indices that fall to this shard: every N-th.
    pub fn indices(self, all: Range<u64>) -> impl Iterator<Item = u64> {
        all.filter(move |index| index % self.of == self.number - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_disjoint_and_complete() {
        let mut all: Vec<u64> =
            (1..=3).flat_map(|number| Shard { number, of: 3 }.indices(0..11).collect::<Vec<_>>()).collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..11));
        for text in ["0/3", "4/3", "1", "/", "a/b", "-1/3", "1/0"] {
            assert!(Shard::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_grid_is_exact_and_ends_where_it_should() {
        let grid = Grid::over("--vary", "1/10..0.7", 3).unwrap();
        let points: Vec<String> = (0..grid.n_points()).map(|index| grid.point(index).to_string()).collect();
        assert_eq!(points, ["1/10", "3/10", "1/2", "7/10"]);
        assert_eq!(grid.place(0, UNITS), grid.point(1));
        assert_eq!(Grid::over("--vary", "0..0", 5).unwrap().n_points(), 1);
    }
}
