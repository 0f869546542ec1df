//! Hardness: the reductions on random formulas and games, and the size of search trees. [Thm. 1, Thm. 2]

mod formulas;
mod games;
mod searches;

use super::figure_2;
use crate::claim::Example;
use crate::error::Error;
use crate::experiment::Experiment;
use crate::lab::Lab;
use crate::section::{Figure, Section};
use commonweal_charts::{Axis, Chart, Mark, Scale, Series};

pub fn section(lab: &mut Lab) -> Result<Section, Error> {
    let (formulas, games, searches) = (formulas::table(lab)?, games::table(lab)?, searches::table(lab)?);
    let mut section = Section::new(Experiment::Hardness, "Hardness")
        .saying(
            "Random formulas with three literals a clause and 4.3 clauses a variable become models by the paper's reduction, in both \
             variants. The best positional strategy earns the threshold if and only if the formula is satisfiable; whether it is \
             was found by trying every assignment. The zero-sum variant, for which the paper gives no numbers, has the discounts \
             1/2 and 1/4 and the rewards ±7 and ∓6.",
        )
        .saying(
            "Random alternating graphs become models whose welfare is 0 if and only if the safety player wins; who wins was found \
             on the graph itself. The last picture shows how many boxes branch and bound looks into, for random models with three \
             actions, four successors and discounts 0.95 and 0.9.",
        );
    section.examples.push(figure_2::example());
    let mut claims = formulas::claims(&formulas);
    claims.extend(games::claims(&games));
    claims.push(searches::claim(&searches));
    section.examples.push(Example { title: "The reductions, and searches [Thm. 1, Thm. 2]".to_owned(), claims });
    section.figures = vec![formulas::figure(&formulas), searches::figure(&searches)];
    section.tables.extend([formulas, games, searches]);
    Ok(section)
}

/// The nodes of a search, by the size of what is searched.
fn nodes(name: &'static str, title: &str, caption: &str, x: &str, series: Vec<Series>) -> Figure {
    let chart = Chart {
        title: title.to_owned(),
        caption: Some(caption.to_owned()),
        x: Axis { label: x.to_owned(), scale: Scale::Linear },
        y: Axis { label: "nodes".to_owned(), scale: Scale::Log },
        series,
        marks: Vec::new(),
    };
    Figure { name, svg: chart.svg() }
}

fn points(name: &str, colour: usize, points: Vec<(f64, f64)>) -> Series {
    Series { name: name.to_owned(), colour, points, mark: Mark::Points }
}
