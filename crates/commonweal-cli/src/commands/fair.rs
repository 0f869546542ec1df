//! `commonweal fair MODEL --rule RULE`

use crate::args::{CoinPlace, FairArgs};
use crate::engine::{self, Asked};
use crate::json;
use crate::report::timings::Clock;
use crate::report::{fair as report, note};
use crate::{input, output, progress, range, signals};
use anyhow::{Context, anyhow};
use commonweal::answers::NoCertificate;
use commonweal::documents::{self, Document};
use commonweal::questions::{
    Fair, FairCertificate, Over, PayoffSet, Proven, Question, Rule, Tossed, fair_in, fair_suited, tossed,
};
use commonweal::structure::PrincipalId;
use commonweal::{Engine, Model, Options, Rational};
use std::path::Path;
use std::process::ExitCode;

pub fn run(args: &FairArgs) -> anyhow::Result<ExitCode> {
    let mut clock = Clock::start();
    let stop = signals::start(&args.run);
    let places = [("--strategy", &args.strategy), ("--certificate", &args.certificate)];
    output::check_places(&places, &args.model.model)?;
    let in_fractions = args.certificate.is_some();
    let Asked { model, engine } = engine::read(&args.engine, &args.model, in_fractions, args.run.quiet)?;
    // A coin is placed, and a certificate written, of payoffs that are known exactly or to within rounding.
    if args.certificate.is_some() {
        input::refuse_mixtures(&model, "fair --certificate")?;
    }
    if matches!(args.coin, CoinPlace::Decision) {
        input::refuse_mixtures(&model, "fair --coin decision")?;
    }
    let question = question(args, &model)?;
    clock.has_read();
    // Nobody asked for a gap that the error of a mixture may be too large for.
    let engine = if args.engine.is_free() && model.is_approximated() { Engine::Auto } else { engine };
    let options = Options { engine, stop, ..Options::default() };
    let set = PayoffSet::new(&model, &options);
    // Who asks for a certificate or a coin has fractions for as long as it takes.
    let is_free = !in_fractions && matches!(args.coin, CoinPlace::Start);
    let ask = || {
        let found = if is_free { fair_suited(&set, &question) } else { fair_in(&set, &question) };
        found.map_err(|error| anyhow!("{error}"))
    };
    let found: Fair = progress::shown(&options.stop, args.run.quiet, ask)?;
    if let (Some(gap), None, false) = (found.gap, set.gap(), args.run.quiet) {
        let gap =
            if matches!(found.proven, Proven::Stopped(_)) { String::new() } else { format!(", with a gap of {gap:e}") };
        note(&format!(
            "fractions get long here, so the answer is proven in doubles{gap}.\n      --exact forces fractions, --gap G sets how close the bounds are."
        ));
    }
    let mut no_coin = None;
    let (found, tossing) = match args.coin {
        CoinPlace::Start => (found, None),
        CoinPlace::Decision => match tossed(&found, &model, &options.stop) {
            Ok(Tossed::Coins(coins)) => (coins.0, Some(coins.1)),
            Ok(Tossed::Stopped(reason)) => {
                if found.mix.is_empty() {
                    note(&format!("no coin at a decision was found: {reason}"));
                } else {
                    note(&documents::no_coin(reason));
                }
                no_coin = Some(reason);
                (found, None)
            }
            Err(error) => return Err(anyhow!("--coin decision: {error}")),
        },
    };
    if found.mix.is_empty() && args.strategy.is_some() {
        note("no strategy was found in time; nothing was written");
    } else if let Some(path) = &args.strategy {
        let strategy = match &tossing {
            Some(tossing) => documents::Strategy::tossing(model.structure(), tossing),
            None => documents::Strategy::lottery(model.structure(), &found.lottery()),
        };
        output::write_whole(path, |out| strategy.write(out))?;
    }
    let certified = args.certificate.as_deref().map(|place| {
        let write = || certify(&model, &question, &found, &options, place);
        progress::shown(&options.stop, args.run.quiet, write)
    });
    let is_cut = certified.transpose()? == Some(false);
    let spent = clock.spent(args.run.timings);
    if args.run.json {
        let mut document = documents::Fair::new(model.structure(), &found, args.all_states);
        if let Some(reason) = no_coin {
            document.tell_no_coin(reason);
        }
        let coins = tossing.iter().flat_map(|tossing| &tossing.coins);
        document.coins = coins.map(|coin| documents::CoinDecision::new(model.structure(), coin)).collect();
        json::print_numbers(document, &args.run, spent)?;
    } else {
        // The payoffs of the greatest sum, to show what fairness costs each principal.
        let welfare = Question::new(Rule::Welfare);
        let sum = if found.gap.is_none() && set.gap().is_none() {
            // What the rule asked of the set is known.
            fair_in(&set, &welfare)
        } else {
            let engine = found.gap.map_or(options.engine, Engine::Within);
            fair_in(&PayoffSet::new(&model, &Options { engine, ..options.clone() }), &welfare)
        };
        let sum = sum.ok();
        let answer =
            report::Answered { fair: &found, question: &question, sum: sum.as_ref(), tossing: tossing.as_ref() };
        let text = report::report(model.structure(), &answer, args.all_states);
        output::print(&(text + &spent.map_or_else(String::new, |spent| spent.in_words())))?;
    }
    Ok(match found.proven {
        _ if is_cut || no_coin.is_some() => ExitCode::from(3),
        Proven::Optimal | Proven::WithinGap => ExitCode::SUCCESS,
        Proven::Infeasible => ExitCode::from(1),
        Proven::Stopped(_) => ExitCode::from(3),
    })
}

/// Writes the certificate, or a note if the answer has none; false if that was stopped.
fn certify(model: &Model, question: &Question, found: &Fair, options: &Options, place: &Path) -> anyhow::Result<bool> {
    let text = FairCertificate::of(model, question, found, options).and_then(|certificate| certificate.to_bytes());
    match text {
        Ok(text) => {
            output::write_whole(place, |out| out.write_all(&text))?;
            Ok(true)
        }
        Err(why @ NoCertificate::Rounded) => Err(why.into()),
        Err(why) => {
            let is_of_doubles = matches!(why, NoCertificate::InDoubles | NoCertificate::SeveralParts);
            let cure = if is_of_doubles { " (--exact asks for it)" } else { "" };
            note(&format!("no certificate: {why}{cure}; nothing was written"));
            Ok(why != NoCertificate::Stopped)
        }
    }
}

/// What is asked, with the principals of the model.
fn question(args: &FairArgs, model: &Model) -> anyhow::Result<Question> {
    let over = match args.over.as_deref() {
        None => args.rule.usual_reference(),
        Some(text) => {
            let strategy = |file: &str| input::strategy_file(model, Path::new(file));
            Over::read(text, model.structure(), strategy).context("--over")?
        }
    };
    let bound = |option: &'static str| {
        move |text: &String| -> anyhow::Result<(PrincipalId, Rational)> {
            let form = || anyhow!("{option}: `{text}` is not NAME=VALUE, such as alice=10");
            let (name, value) = text.rsplit_once('=').ok_or_else(form)?;
            let principal = range::principal(option, name, model.structure())?;
            Ok((principal, value.parse().context(option)?))
        }
    };
    Ok(Question {
        rule: args.rule.clone(),
        over,
        at_least: args.at_least.iter().map(bound("--at-least")).collect::<Result<_, _>>()?,
        at_most: args.at_most.iter().map(bound("--at-most")).collect::<Result<_, _>>()?,
    })
}
