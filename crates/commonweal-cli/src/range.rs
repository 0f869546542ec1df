//! Ranges of discounts and shards of work, as the command line gives them.

use crate::input::suggestion;
use anyhow::{Context, anyhow, bail};
use commonweal::internals::landscape::{Grid, Quantity};
use commonweal::internals::model::{PrincipalId, Structure};
use commonweal::internals::number::{Rational, parse_rational};

/// The grid over `FROM..TO`, which lies in [0, 1).
pub fn grid(option: &str, text: &str, steps: u64) -> anyhow::Result<Grid> {
    grid_of(option, Quantity::Discount, text, steps)
}

/// The grid over `FROM..TO`: of discounts, or of any numbers.
pub fn grid_of(option: &str, quantity: Quantity, text: &str, steps: u64) -> anyhow::Result<Grid> {
    let form = || anyhow!("{option}: `{text}` is not FROM..TO, such as 0.1..0.9 or 1/3..2/3");
    let (from, to) = text.split_once("..").ok_or_else(form)?;
    let number = |text: &str| parse_rational(text).with_context(|| option.to_owned());
    let (from, to) = (number(from)?, number(to)?);
    for end in [&from, &to] {
        if quantity == Quantity::Discount && (*end < Rational::ZERO || *end >= Rational::ONE) {
            bail!("{option}: {end} is no discount; a discount is at least 0 and below 1");
        }
    }
    if from > to {
        bail!("{option}: {from} is greater than {to}; give the lesser {} first", quantity.name());
    }
    Ok(Grid::new(from, to, steps))
}

/// `NAME=FROM..TO` or `NAME.weight=FROM..TO`: the principal of that name, what varies, and the rest.
pub fn varied<'t>(option: &str, text: &'t str, model: &Structure) -> anyhow::Result<(PrincipalId, Quantity, &'t str)> {
    let split = text.rsplit_once('=').and_then(|(name, range)| Some((name, name.strip_suffix(".weight")?, range)));
    match split {
        // A name may end like that.
        Some((whole, name, range)) if model.find_principal(whole).is_none() => {
            Ok((principal(option, name, model)?, Quantity::Weight, range))
        }
        _ => assigned(option, text, model).map(|(principal, range)| (principal, Quantity::Discount, range)),
    }
}

/// `NAME=FROM..TO`: the principal of that name, and the rest.
pub fn assigned<'t>(option: &str, text: &'t str, model: &Structure) -> anyhow::Result<(PrincipalId, &'t str)> {
    let (name, range) = text
        .rsplit_once('=')
        .ok_or_else(|| anyhow!("{option}: `{text}` is not PRINCIPAL=FROM..TO, such as alice=0.1..0.9"))?;
    Ok((principal(option, name, model)?, range))
}

/// The principal of that name.
pub fn principal(option: &str, name: &str, model: &Structure) -> anyhow::Result<PrincipalId> {
    let names = model.principals().iter().map(|principal| principal.name.as_str());
    model.find_principal(name).ok_or_else(|| {
        anyhow!("{option}: there is no principal `{name}`{}", suggestion(name, names, "the principals are"))
    })
}
