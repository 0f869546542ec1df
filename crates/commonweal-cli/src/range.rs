//! Ranges of discounts and rates, as the command line gives them.

use crate::input::suggestion;
use crate::report::note;
use anyhow::{Context, anyhow, bail};
use commonweal::Rational;
use commonweal::questions::{self, Grid, NotVaried, Quantity};
use commonweal::structure::{PrincipalId, Structure};
use commonweal::text::{parse_rate, rate_text};

/// The grid over `FROM..TO`: discounts in [0, 1), rates above 0 and at most 100 %, or any weights.
pub fn grid(option: &str, text: &str, quantity: Quantity, steps: u64) -> anyhow::Result<Grid> {
    let example = match quantity {
        Quantity::Discount => "0.1..0.9 or 1/3..2/3",
        Quantity::Rate => "1%..7% or 0.01..0.07",
        Quantity::Weight => "0..2",
    };
    let form = || anyhow!("{option}: `{text}` is not FROM..TO, such as {example}");
    let (from, to) = text.split_once("..").ok_or_else(form)?;
    let number = |text: &str| match quantity {
        Quantity::Discount if text.trim_end().ends_with('%') => {
            Err(anyhow!("{option}: a discount is not a percentage; write NAME.rate in place of NAME to vary the rate"))
        }
        Quantity::Discount | Quantity::Weight => text.parse().with_context(|| option.to_owned()),
        Quantity::Rate => parse_rate(text).with_context(|| option.to_owned()),
    };
    let stated = [from, to].map(str::trim);
    let (from, to) = (number(from)?, number(to)?);
    for end in [&from, &to] {
        match quantity {
            Quantity::Discount if *end < Rational::ZERO || *end >= Rational::ONE => {
                bail!("{option}: {end} is not a discount; a discount is at least 0 and below 1");
            }
            Quantity::Rate if *end <= Rational::ZERO || *end > Rational::ONE => {
                // 1..7 is meant in per cent.
                let hundred = Rational::from(100);
                let is_percent = *end > Rational::ONE && to <= hundred && stated.iter().all(|end| !end.ends_with('%'));
                let cure = is_percent.then(|| format!("; did you mean {}%..{}%?", stated[0], stated[1]));
                bail!(
                    "{option}: {} is not a rate; a rate is above 0 and at most 100%{}",
                    rate_text(end),
                    cure.unwrap_or_default()
                );
            }
            _ => {}
        }
    }
    if from > to {
        let (from, to) = match quantity {
            Quantity::Discount | Quantity::Weight => (from.to_string(), to.to_string()),
            Quantity::Rate => (rate_text(&from), rate_text(&to)),
        };
        bail!("{option}: {from} is greater than {to}; give the lesser {} first", quantity.name());
    }
    Ok(Grid::new(from, to, steps).of(quantity))
}

/// `NAME=FROM..TO` or `NAME.rate=FROM..TO`: the principal, what of it varies, and the rest.
pub fn assigned<'t>(
    option: &str,
    text: &'t str,
    model: &Structure,
) -> anyhow::Result<(PrincipalId, Quantity, &'t str)> {
    let (name, range) = text
        .rsplit_once('=')
        .ok_or_else(|| anyhow!("{option}: `{text}` is not PRINCIPAL=FROM..TO, such as alice=0.1..0.9"))?;
    let (principal, quantity) = varied(option, name, model)?;
    Ok((principal, quantity, range))
}

/// The principal of that name whose discount varies, or whose rate if `.rate` stands behind the name.
pub fn varied(option: &str, name: &str, model: &Structure) -> anyhow::Result<(PrincipalId, Quantity)> {
    questions::varied(model, name).or_else(|error| match error {
        NotVaried::NoPrincipal(name) => {
            let found = principal(option, &name, model).map(|principal| (principal, Quantity::Discount));
            // A range behind the name, as `sweep` takes it.
            match name.rsplit_once('=') {
                Some((own, range)) if option != "--vary" && questions::varied(model, own).is_ok() => {
                    found.map_err(|_| {
                        anyhow!(
                            "{option}: the range is an option of its own; write {option} {own} {option}-range {range}"
                        )
                    })
                }
                _ => found,
            }
        }
        NotVaried::NoQuantity { .. } => bail!("{option}: {error}"),
    })
}

/// Says that a preference other than a discount or a rate is replaced by what varies.
pub fn note_replaced(model: &Structure, principal: PrincipalId, quantity: Quantity) {
    let principal = &model.principals()[principal.index()];
    let stated = principal.preference();
    if quantity != Quantity::Weight && stated.single_discount().is_none() {
        let name = quantity.name();
        note(&format!("`{}` states {stated}; a constant {name} takes its place here", principal.name));
    }
}

/// The principal of that name.
pub fn principal(option: &str, name: &str, model: &Structure) -> anyhow::Result<PrincipalId> {
    let names = model.principals().iter().map(|principal| principal.name.as_str());
    model.find_principal(name).ok_or_else(|| {
        anyhow!("{option}: there is no principal `{name}`{}", suggestion(name, names, "the principals are"))
    })
}
