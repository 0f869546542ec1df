//! The report of `fair`: the value of the rule, the payoffs, the price of fairness, and the lottery in words.

use super::mixtures::mixtures;
use super::names::shown;
use super::numbers::{
    at_most, ends, exact_and_decimal, fraction_or_decimal, fraction_within, in_column, signed, zero_within,
};
use super::payoffs::{total_row, who};
use super::strategy::{Rows, STATES_SHOWN, table};
use super::table::{in_blocks, wrapped};
use commonweal::limits::StopReason;
use commonweal::questions::{BY_STATE, Fair, Meetings, Over, Play, Proven, Question, Rule, Share, Weights, told_apart};
use commonweal::strategies::{Coin, CountingStrategy, Tossing};
use commonweal::structure::{ChoiceId, PrincipalId, Structure};
use commonweal::{Rational, Value};
use std::fmt::Write;

/// What there is to report.
pub struct Answered<'a> {
    pub fair: &'a Fair,
    pub question: &'a Question,
    /// The answer of the plain sum, to compare with.
    pub sum: Option<&'a Fair>,
    /// The randomised decisions, if there is no lottery at the start.
    pub tossing: Option<&'a Tossing>,
}

pub fn report(model: &Structure, answered: &Answered, all_states: bool) -> String {
    let Answered { fair, question, sum, tossing } = *answered;
    let mut text = headline(model, fair);
    if fair.proven != Proven::Infeasible {
        text += &tossing.map_or_else(|| now(model, fair), |tossing| now_by_coin(model, tossing));
    }
    let for_mixtures = mixtures(model, if fair.gap.is_some() { "Proven" } else { "Exact" }, None);
    text.extend(for_mixtures.iter().map(|line| wrapped(line, 2)));
    text += &relaxed(fair);
    text += &reference(model, fair, question);
    text += &out_of_reach(fair, question);
    text += &not_counted(model, fair, question);
    text += &doubtful(model, fair);
    text += &costs(model, fair);
    text.push('\n');
    let sum = sum.filter(|sum| sum.proven == Proven::Optimal || sum.proven == Proven::WithinGap);
    text += &who_gets_what(model, answered, sum);
    text += &levels(model, fair);
    if let Some(sum) = sum.filter(|_| matches!(fair.proven, Proven::Optimal | Proven::WithinGap)) {
        text += &price(model, fair, sum);
    }
    text += &match tossing.filter(|tossing| !tossing.coins.is_empty()) {
        Some(tossing) => few_coins(model, tossing, all_states),
        None => lottery(model, &fair.mix, all_states),
    };
    text += &proof(model, fair);
    text
}

/// One strategy with randomised decisions.
fn few_coins(model: &Structure, tossing: &Tossing, all_states: bool) -> String {
    let action = |choice| shown(&model.action_name(choice));
    let tossed = |coin: &Coin| {
        let (last, others) = coin.choices.split_last().expect("a coin has two sides");
        let others = others
            .iter()
            .map(|(choice, share)| format!("{} with {}, ", action(*choice), fraction_or_decimal(share)))
            .collect::<String>();
        let (state, step) = (shown(&model.state_name(coin.state)), &coin.step);
        let one = shown(model.about().step());
        format!("in {state} at {one} {step}: {others}otherwise {}.\n", action(last.0))
    };
    let mut text = match &tossing.coins[..] {
        [coin] => wrapped(&format!("\nOne coin, {}", tossed(coin).trim_end()), 2),
        several => {
            let all = several.iter().map(|coin| format!("  {}", tossed(coin))).collect::<String>();
            format!("\n{} coins, each tossed where the run comes to it:\n{all}", several.len())
        }
    };
    if model.n_states() <= STATES_SHOWN || all_states {
        // A coin leads to states that none of the strategies it chooses from would reach by itself.
        text += "All other decisions\n";
        text += &decisions(model, &tossing.strategy, Rows::All);
    }
    text
}

fn headline(model: &Structure, fair: &Fair) -> String {
    let start = shown(&model.state_name(model.start()));
    let before = what(fair);
    let claim = |value: String| {
        wrapped(&format!("Fairest by {} from {start}:", fair.rule.name()), 2)
            + &wrapped(&format!("{before} {value}"), 2)
    };
    match fair.proven {
        Proven::Optimal => claim(exact_and_decimal(&fair.value)),
        Proven::WithinGap => claim(bounds(&fair.value)),
        Proven::Infeasible => {
            let missing = exact_and_decimal(&fair.value);
            wrapped(&format!("No strategy from {start} gives what is demanded: {missing} is missing."), 2)
                + "The lottery below comes nearest: nobody misses more than that.\n"
        }
        Proven::Stopped(reason) => {
            let cure = match reason {
                StopReason::Digits => " --gap G answers in doubles.",
                StopReason::Work => " --gap G asks for less; --time-limit TIME goes on.",
                _ => "",
            };
            wrapped(&format!("Stopped: {reason}.{cure}"), 2) + &claim(bounds(&fair.value))
        }
    }
}

/// That the demands had to be relaxed, and by how much.
fn relaxed(fair: &Fair) -> String {
    if fair.relaxed_by.is_zero() {
        return String::new();
    }
    let by = at_most(fair.relaxed_by.to_f64());
    wrapped(
        &format!(
            "The demands leave no slack, and doubles do not decide whether they can be met exactly. This is the answer where every floor is \
             lowered, and every ceiling raised, by {by}. With the demands themselves no lottery has more than the upper bound."
        ),
        0,
    )
}

/// The levels of leximin, if there are several.
fn levels(model: &Structure, fair: &Fair) -> String {
    if fair.levels.len() < 2 {
        return String::new();
    }
    let mut text = "\nLevel by level, the worst-off first:\n".to_owned();
    let mut is_bounded = false;
    for level in &fair.levels {
        let names: Vec<String> = level.who.iter().map(|p| shown(&model.principals()[p.index()].name)).collect();
        let verb = if names.len() == 1 { "gains" } else { "gain" };
        let value = match &level.value.exact {
            Some(_) => exact_and_decimal(&level.value),
            None => {
                is_bounded = true;
                let [least, most] = ends(level.value.enclosure.lower(), level.value.enclosure.upper());
                zero_within(&level.value).unwrap_or_else(|| format!("{least} at least, and {most} at most"))
            }
        };
        text += &wrapped(&format!("  {} {verb} {value}", names.join(", ")), 4);
    }
    if is_bounded {
        text += &wrapped("What is at most holds for all lotteries that give as much at the levels before.", 0);
    }
    text
}

fn bounds(value: &Value) -> String {
    if let Some(text) = zero_within(value) {
        return text;
    }
    let [least, most] = ends(value.enclosure.lower(), value.enclosure.upper());
    format!("{least} at least, and {most} at most with any lottery")
}

/// The words before the value of a rule.
fn what(fair: &Fair) -> String {
    match &fair.rule {
        Rule::Welfare if fair.over.iter().all(Rational::is_zero) => "the greatest welfare is".to_owned(),
        Rule::Welfare => "the greatest weighted sum of gains is".to_owned(),
        Rule::MaxMin | Rule::Leximin => "the least that anybody gains is".to_owned(),
        Rule::Nash => "the product of all gains is".to_owned(),
        Rule::KalaiSmorodinsky if fair.not_counted.len() == fair.payoffs.len() => {
            "nobody can gain over the reference point: the least share is".to_owned()
        }
        Rule::KalaiSmorodinsky if is_below_reference(fair) => {
            "the least share of anybody's own best gain is".to_owned()
        }
        Rule::KalaiSmorodinsky if !fair.not_counted.is_empty() => {
            "the share of their own best gain that everybody gets who can gain is".to_owned()
        }
        Rule::KalaiSmorodinsky => "the share of their own best gain that everybody gets is".to_owned(),
        Rule::Gini(_) => "the weighted sum of gains, the least first, is".to_owned(),
        Rule::Alpha(alpha) => {
            let power = fraction_or_decimal(&(Rational::ONE - alpha));
            format!("the sum of all gains, each gain u counted as u^({power})/({power}), is")
        }
    }
}

fn reference(model: &Structure, fair: &Fair, question: &Question) -> String {
    let what = match &question.over {
        Over::Nothing => return String::new(),
        _ if fair.over.is_empty() => return "Stopped before the reference point was known.\n".to_owned(),
        Over::OwnWorst => "the least that each could get",
        Over::Given(_) => "the numbers given",
        Over::Strategy(_) => "what the strategy given gets",
    };
    let each = model.principals().iter().zip(&fair.over);
    let each: Vec<String> =
        each.map(|(principal, over)| format!("{} {}", shown(&principal.name), fraction_or_decimal(over))).collect();
    wrapped(&format!("Gains are counted from {what}: {}.", each.join(", ")), 2)
}

/// Whether the optimal value is below 0 for certain.
fn is_below_reference(fair: &Fair) -> bool {
    fair.value.enclosure.upper() < 0.0
}

/// That somebody is left with less than the reference point by every lottery, and what helps.
fn out_of_reach(fair: &Fair, question: &Question) -> String {
    let counts_least = matches!(fair.rule, Rule::MaxMin | Rule::Leximin | Rule::KalaiSmorodinsky);
    let is_asked = counts_least && !matches!(question.over, Over::Nothing) && fair.proven != Proven::Infeasible;
    if !is_asked || !is_below_reference(fair) {
        return String::new();
    }
    let with = if has_demands(question) { " that meets the demands" } else { "" };
    wrapped(
        &format!(
            "No lottery{with} gives everybody as much as the reference point: this one comes nearest for the worst-off. With a lower reference \
             point, --over NAME=V,NAME=V, everybody can gain."
        ),
        0,
    )
}

fn has_demands(question: &Question) -> bool {
    !question.at_least.is_empty() || !question.at_most.is_empty()
}

/// The names of principals as a list in words; `None` if there is nobody.
fn named(model: &Structure, who: &[PrincipalId]) -> Option<String> {
    let names: Vec<String> = who.iter().map(|p| shown(&model.principals()[p.index()].name)).collect();
    let (last, others) = names.split_last()?;
    Some(if others.is_empty() { last.clone() } else { format!("{} and {last}", others.join(", ")) })
}

/// Whom the rule does not count, and why.
fn not_counted(model: &Structure, fair: &Fair, question: &Question) -> String {
    let Some(all) = named(model, &fair.not_counted) else { return String::new() };
    let is_one = fair.not_counted.len() == 1;
    let line = match (&question.over, is_one) {
        (Over::OwnWorst, true) => format!("{all} gets the same from every strategy, so the rule does not count them."),
        (Over::OwnWorst, false) => format!("{all} get the same from every strategy, so the rule does not count them."),
        (_, true) => format!(
            "The reference point of {all} is their own best: nobody can give them a gain, so the rule does not count them, and they may get less."
        ),
        (_, false) => format!(
            "The reference points of {all} are their own bests: nobody can give them a gain, so the rule does not count them, and they may get less."
        ),
    };
    wrapped(&line, 0)
}

/// Of whom it is open whether the rule counts them, and what helps.
fn doubtful(model: &Structure, fair: &Fair) -> String {
    let Some(all) = named(model, &fair.doubtful) else { return String::new() };
    let is_approximated = model.principals().iter().any(|principal| principal.approximation().is_some());
    let exactly = if is_approximated { "" } else { " --exact tells." };
    wrapped(
        &format!(
            "Doubles do not tell whether {all} can gain anything over the reference point, and so whether the rule counts them.{exactly} \
             A lower reference point for them, --over NAME=V,NAME=V, counts them."
        ),
        0,
    )
}

/// Weights count in the rule welfare alone: by any other rule more of a cost is better, which is hardly meant.
fn costs(model: &Structure, fair: &Fair) -> String {
    let Some(all) = named(model, &fair.costs_as_gains(model)) else { return String::new() };
    wrapped(
        &format!(
            "This rule takes costs for gains: it looks at payoffs before weights, so more of {all} is better by it. For less to be \
             better, write these rewards as negative numbers, with weight 1."
        ),
        0,
    )
}

fn who_gets_what(model: &Structure, answered: &Answered, sum: Option<&Fair>) -> String {
    const WIDEST: usize = 16;
    let Answered { fair, question, .. } = *answered;
    let (mut header, mut rows) = who(model);
    let total = welfare(model, &fair.payoffs);
    let mut values: Vec<Value> = fair.payoffs.clone();
    values.push(total);
    let fraction = |value: &Value| value.exact.as_ref().and_then(|exact| fraction_within(exact, WIDEST));
    let fractions = values.iter().any(|value| fraction(value).is_some());
    header.push("gets");
    if fractions {
        header.push("exactly");
    }
    // Without demands the greatest sum is the answer itself.
    let compared = sum.filter(|_| fair.rule != Rule::Welfare || has_demands(question));
    if compared.is_some() {
        header.push("vs greatest sum");
    }
    rows.push(total_row(&header));
    for (index, (row, value)) in rows.iter_mut().zip(&values).enumerate() {
        row.push(in_column(value));
        if fractions {
            row.push(fraction(value).unwrap_or_default());
        }
        if let Some(sum) = compared {
            let other = sum.payoffs.get(index).cloned().unwrap_or_else(|| welfare(model, &sum.payoffs));
            row.push(signed(&value.minus(&other)));
        }
    }
    in_blocks(&header, &rows, 1)
}

/// The weighted sum of payoffs.
fn welfare(model: &Structure, payoffs: &[Value]) -> Value {
    let exact: Option<Vec<Rational>> = payoffs.iter().map(|payoff| payoff.exact.clone()).collect();
    let weights = || model.principals().iter().map(|principal| &principal.weight);
    match exact {
        Some(exact) => Value::from(weights().zip(exact).fold(Rational::ZERO, |sum, (weight, own)| sum + weight * own)),
        None => {
            let terms = weights()
                .zip(payoffs)
                .map(|(weight, own)| commonweal::numbers::Enclosure::from(weight).times(own.enclosure));
            Value::from(terms.fold(commonweal::numbers::Enclosure::ZERO, commonweal::numbers::Enclosure::plus))
        }
    }
}

/// What the rule costs in welfare.
fn price(model: &Structure, fair: &Fair, sum: &Fair) -> String {
    let (own, best) = (welfare(model, &fair.payoffs), welfare(model, &sum.payoffs));
    let lost = best.minus(&own);
    if lost.exact.as_ref().is_some_and(Rational::is_zero) {
        return "\nThe price of fairness: nothing. No lottery has a greater welfare.\n".to_owned();
    }
    if lost.exact.is_none()
        && let Some(nothing) = zero_within(&lost)
    {
        return format!("\nThe price of fairness: {nothing}.\n");
    }
    if lost.exact.is_none() && lost.enclosure.lower() <= 0.0 {
        let most = at_most(lost.enclosure.upper());
        let told = format!("\nThe price of fairness: the welfare is at most {most} below the greatest.");
        return wrapped(&told, 2);
    }
    let brief = |value: &Value| value.exact.as_ref().map_or_else(|| in_column(value), fraction_or_decimal);
    let told =
        format!("\nThe price of fairness: the welfare is {} below the greatest, {}.", brief(&lost), brief(&best));
    wrapped(&told, 2)
}

/// The lottery: the probabilities and the strategies.
fn lottery(model: &Structure, mix: &[Share], all_states: bool) -> String {
    let mut text = String::from("\n");
    let plays: Vec<Play> = mix.iter().map(|share| Play::of(model, &share.strategy, model.start())).collect();
    let named: Vec<(String, &Play)> =
        plays.iter().enumerate().map(|(at, play)| (format!("strategy {}", at + 1), play)).collect();
    let told = told_apart(model, &named);
    match (mix, &told[..]) {
        ([first, _], [one, other]) => {
            let coin = share(&first.probability);
            text += &wrapped(&format!("Toss a coin with {coin} at the start: {one};"), 2);
            text += &wrapped(&format!("otherwise {other}."), 2);
        }
        (_, []) => text += "No strategy was found in time: these are the bounds for any strategy.\n",
        (_, [only]) => text += &wrapped(&format!("No lottery is needed: {only}."), 2),
        (several, _) => {
            text += "Draw lots at the start:\n";
            for (one, told) in several.iter().zip(&told) {
                text += &wrapped(&format!("  with {}: {told}", share(&one.probability)), 4);
            }
        }
    }
    text += &by_state(told.iter());
    // Several tables share the room of one.
    let rows = if all_states { Rows::All } else { Rows::First((STATES_SHOWN / mix.len().max(1)).max(5)) };
    for (index, one) in mix.iter().enumerate() {
        if mix.len() > 1 {
            let _ = writeln!(text, "\nStrategy {} (with {})", index + 1, share(&one.probability));
        } else {
            text += "\nStrategy\n";
        }
        text += &decisions(model, &one.strategy, rows);
    }
    text
}

/// What it means that actions stand beside each other, if some do in these words.
pub fn by_state<'t>(told: impl Iterator<Item = &'t String>) -> String {
    let joined = |text: &&String| text.contains(BY_STATE);
    let is_any = told.filter(joined).count() > 0;
    if is_any { format!("  ({BY_STATE} stands between actions of which the state decides)\n") } else { String::new() }
}

/// A probability; one that is nearly 0 or 1 does not look as if it were.
fn share(probability: &Rational) -> String {
    let text = fraction_or_decimal(probability);
    let little = |rest: &Rational| format!("{:.1e}", rest.to_f64());
    match text.as_str() {
        "1" if !probability.is_one() => format!("1 − {}", little(&(Rational::ONE - probability))),
        "0" if !probability.is_zero() => little(probability),
        _ => text,
    }
}

fn decisions(model: &Structure, strategy: &CountingStrategy, rows: Rows) -> String {
    table(model, strategy, &Meetings::of(model, strategy, model.start()), rows)
}

/// The first choice of the lottery, or of each of its strategies with what it is drawn with.
fn now(model: &Structure, fair: &Fair) -> String {
    let start = model.start();
    let mut drawn: Vec<(ChoiceId, Rational)> = Vec::new();
    for one in &fair.mix {
        let first = one.strategy.changes(start)[0].choice;
        match drawn.iter_mut().find(|(choice, _)| *choice == first) {
            Some((_, probability)) => *probability = &*probability + &one.probability,
            None => drawn.push((first, one.probability.clone())),
        }
    }
    now_in_words(model, &drawn)
}

/// The choice of the first step, with a coin that may be tossed there.
fn now_by_coin(model: &Structure, tossing: &Tossing) -> String {
    let start = model.start();
    match tossing.coins.iter().find(|coin| coin.state == start && coin.step.is_zero()) {
        Some(coin) => now_in_words(model, &coin.choices),
        None => now_in_words(model, &[(tossing.strategy.changes(start)[0].choice, Rational::ONE)]),
    }
}

fn now_in_words(model: &Structure, drawn: &[(ChoiceId, Rational)]) -> String {
    let action = |choice: ChoiceId| shown(&model.action_name(choice));
    let what = match drawn {
        [] => return String::new(),
        [(only, _)] => action(*only),
        several => {
            let each = several.iter().map(|(choice, with)| format!("{} with {}", action(*choice), share(with)));
            each.collect::<Vec<_>>().join(", ")
        }
    };
    wrapped(&format!("What to do now, in {}: {what}", shown(&model.state_name(model.start()))), 2)
}

/// The weights that prove it, in words.
fn proof(model: &Structure, fair: &Fair) -> String {
    if matches!(fair.proven, Proven::Stopped(_)) {
        return String::new();
    }
    let named = |weights: &Weights| {
        let each = model.principals().iter().zip(weights);
        let each: Vec<String> = each
            .map(|(principal, weight)| format!("{} {}", shown(&principal.name), fraction_or_decimal(weight)))
            .collect();
        each.join(", ")
    };
    if fair.weights.iter().all(Rational::is_zero) {
        // In doubles a bound may come from the best of a principal, or from what was known before.
        if fair.gap.is_some() || fair.payoffs.iter().any(|payoff| payoff.exact.is_none()) {
            return String::new();
        }
        return wrapped("\nProof: no weights are needed; the demands, or the rule by itself, allow no more.", 2);
    }
    let mut text = String::from("\nProof: no strategy has a greater weighted sum of payoffs, with the weights\n");
    text += &wrapped(&format!("  {}", named(&fair.weights)), 2);
    let next = if fair.rule.is_lexicographic() && fair.gap.is_some() {
        "and with what is reached there, for the next level:"
    } else {
        "and among those that reach it:"
    };
    for weights in &fair.then {
        text += &wrapped(&format!("  {next} {}", named(weights)), 4);
    }
    text
}
