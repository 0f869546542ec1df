//! The answer, printed by the rank that owns the start state: the text and the document of `commonweal solve`.

use crate::args::SolveArgs;
use anyhow::Context;
use commonweal::documents::{Document, Solution, json_text, listed_states};
use commonweal::questions::{Alternatives, ThresholdAnswer};
use commonweal::structure::{StateId, Structure};
use commonweal::{Answer, Value};
use commonweal_terminal::report::checked::{BOUNDS_UNCHECKED, Checked};
use commonweal_terminal::report::timings::{Clock, Spent};
use commonweal_terminal::report::{self, solution, spacing};
use std::io::Write;

/// What is printed.
pub struct Report<'a> {
    /// What was asked.
    pub args: &'a SolveArgs,
    /// The model whose states the answer is for: all of them, or those of this rank.
    pub model: &'a Structure,
    /// Where it starts.
    pub start: StateId,
    /// What the start is called, and how many states all ranks have, where these are those of this rank.
    pub part: Option<(&'a str, u64)>,
    /// The answer.
    pub answer: &'a Answer,
    /// What each principal would get alone; empty if that is left out.
    pub own_best: &'a [Value],
    /// The time that this rank has taken.
    pub clock: Clock,
}

impl Report<'_> {
    /// Prints it.
    pub fn print(&self) -> anyhow::Result<()> {
        let run = &self.args.run;
        if !run.quiet {
            spacing::note(self.answer);
        }
        let spent = self.clock.spent(run.timings);
        let text = if run.json { self.json(spent) } else { self.text(spent) };
        let mut out = std::io::stdout().lock();
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).context("standard output")
    }

    /// Whether some strategy earns the threshold, if one was given.
    pub fn earned(&self) -> Option<ThresholdAnswer> {
        self.args.threshold.as_ref().map(|threshold| self.answer.earns(threshold, self.start))
    }

    fn json(&self, spent: Option<Spent>) -> String {
        let Report { model, answer, own_best, .. } = *self;
        let mut document = match self.part {
            Some((name, _)) => Solution::of_start(model, answer, own_best, name),
            None => Solution::new(model, answer, own_best, &listed_states(model, self.args.all_states), false),
        };
        document.answer = self.earned();
        if self.args.run.no_exact {
            document.leave_fractions_out();
        }
        json_text(&document, spent.as_ref().map(Spent::document))
    }

    fn text(&self, spent: Option<Spent>) -> String {
        let Report { model, answer, own_best, .. } = *self;
        let threshold = self.args.threshold.as_ref().zip(self.earned());
        let verdict = threshold.map(|(threshold, earned)| solution::verdict(threshold, earned));
        let (about, report) = match self.part {
            Some((name, n_states)) => (String::new(), solution::of_start(model, answer, own_best, name, n_states)),
            None => {
                let none = Alternatives::default();
                (report::about(model), solution::report(model, answer, own_best, &none, self.args.all_states))
            }
        };
        let checked = Checked::No(BOUNDS_UNCHECKED.to_owned()).in_words();
        let spent = spent.map(|spent| spent.in_words());
        [Some(about), verdict, Some(report), Some(checked), spent].into_iter().flatten().collect()
    }
}
