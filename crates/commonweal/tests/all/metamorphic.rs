//! Changes to a model whose effect on the answer is known without knowing the answer.

use crate::oracle::plain::{Choice, Who};
use crate::oracle::random::{self, Rng};
use crate::oracle::{Answer, Plain, Q, Reference, ask, evaluate, on_random_models, q};
use num_traits::{One, Zero};

/// Longer horizons add nothing here.
const LONGEST: usize = 300;

/// Runs `change` on random models and compares the two answers.
fn relate(
    seeds: std::ops::Range<u64>,
    change: impl Fn(&Plain, &mut Rng) -> Plain,
    relation: impl Fn(&Plain, &Answer, &Plain, &Answer) -> Result<(), String>,
) {
    let mut compared = 0;
    let n = seeds.end - seeds.start;
    on_random_models(seeds, |plain| {
        if Reference::solve(plain, LONGEST).is_none() {
            return Ok(());
        }
        // The same change for the same model: shrinking must see it again.
        let mut rng = Rng::new(plain.to_string().len() as u64);
        let changed = change(plain, &mut rng);
        let (before, after) = (ask(plain)?, ask(&changed)?);
        compared += 1;
        relation(plain, &before, &changed, &after).map_err(|complaint| format!("{complaint}; changed to {changed}"))
    });
    assert!(compared * 10 > n * 8, "only {compared} models were compared");
}

macro_rules! same {
    ($left:expr, $right:expr, $what:literal) => {
        let (left, right) = (&$left, &$right);
        if left != right {
            return Err(format!(concat!($what, " {:?} against {:?}"), left, right));
        }
    };
}

/// All that does not depend on the size of rewards: horizon, memory, long-term choices, every decision.
fn same_strategy(before: &Answer, after: &Answer) -> Result<(), String> {
    same!(before.horizon, after.horizon, "horizon");
    same!(before.long_term, after.long_term, "long-term choices");
    same!(before.changes, after.changes, "decisions");
    same!(before.memory, after.memory, "memory");
    Ok(())
}

#[test]
fn renaming_everything_changes_nothing() {
    let rename = |plain: &Plain, _: &mut Rng| {
        let mut renamed = plain.clone();
        let n = plain.states.len();
        renamed.names = (0..n).map(|index| format!("é {}", n - index)).collect();
        renamed.principals.iter_mut().enumerate().for_each(|(index, who)| who.name = format!("{}", 99 - index));
        renamed.states.iter_mut().flatten().for_each(|choice| choice.name = "tick".into());
        renamed
    };
    relate(30_000..30_100, rename, |_, before, _, after| {
        same!(before, after, "the answers");
        Ok(())
    });
}

#[test]
fn permuting_states_permutes_the_answer() {
    // Reversal is its own inverse, and moves every state but a middle one.
    let reverse = |plain: &Plain, _: &mut Rng| {
        let mut reversed = plain.clone();
        let n = plain.states.len();
        reversed.states.reverse();
        reversed.names.reverse();
        reversed.states.iter_mut().flatten().for_each(|choice| {
            choice.to.iter_mut().for_each(|(target, _)| *target = n - 1 - *target);
        });
        reversed
    };
    relate(30_100..30_300, reverse, |_, before, _, after| {
        let mut after = after.clone();
        after.welfare.reverse();
        after.long_term_welfare.reverse();
        after.payoffs.iter_mut().for_each(|row| row.reverse());
        after.memory.reverse();
        after.long_term.reverse();
        after.changes.reverse();
        same!(*before, after, "the answers");
        Ok(())
    });
}

#[test]
fn permuting_choices_changes_the_strategy_only_by_ties() {
    let reverse = |plain: &Plain, _: &mut Rng| {
        let mut reversed = plain.clone();
        reversed.states.iter_mut().for_each(|choices| choices.reverse());
        reversed
    };
    relate(30_300..30_500, reverse, |plain, before, _, after| {
        same!(before.horizon, after.horizon, "horizon");
        same!(before.welfare, after.welfare, "welfare");
        same!(before.long_term_welfare, after.long_term_welfare, "long-term welfare");
        let back = |state: usize, choice: usize| plain.states[state].len() - 1 - choice;
        for state in 0..plain.states.len() {
            let mut choices: Vec<usize> = after.long_term[state].iter().map(|&choice| back(state, choice)).collect();
            choices.reverse();
            same!(before.long_term[state], choices, "long-term choices");
        }
        // In the old order the new strategy is as good as the old one.
        let old_order = |layer: Vec<usize>| -> Vec<usize> {
            layer.into_iter().enumerate().map(|(state, choice)| back(state, choice)).collect()
        };
        let layers: Vec<Vec<usize>> = after.layers().into_iter().map(old_order).collect();
        let earned = evaluate::weighted(plain, &evaluate::payoffs(plain, &layers, &old_order(after.tail())));
        same!(before.exact_welfare(), earned, "what the other strategy earns");
        Ok(())
    });
}

#[test]
fn permuting_principals_permutes_the_payoffs() {
    let reverse = |plain: &Plain, _: &mut Rng| {
        let mut reversed = plain.clone();
        reversed.principals.reverse();
        reversed.states.iter_mut().flatten().for_each(|choice| choice.rewards.reverse());
        reversed
    };
    relate(30_500..30_700, reverse, |_, before, _, after| {
        let mut after = after.clone();
        after.payoffs.reverse();
        same!(*before, after, "the answers");
        Ok(())
    });
}

#[test]
fn scaling_all_rewards_scales_the_welfare() {
    let factor = q(355, 113);
    let scale = |plain: &Plain, _: &mut Rng| {
        let mut scaled = plain.clone();
        let rewards = scaled.states.iter_mut().flatten().flat_map(|choice| &mut choice.rewards);
        rewards.for_each(|reward| *reward *= &factor);
        scaled
    };
    relate(30_700..30_850, scale, |_, before, _, after| {
        same_strategy(before, after)?;
        let scaled = |row: Vec<Q>| -> Vec<Q> { row.into_iter().map(|value| value * &factor).collect() };
        same!(scaled(before.exact_welfare()), after.exact_welfare(), "welfare");
        let payoffs: Vec<Vec<Q>> = before.exact_payoffs().into_iter().map(scaled).collect();
        same!(payoffs, after.exact_payoffs(), "payoffs");
        Ok(())
    });
}

#[test]
fn a_principal_split_in_two_halves_is_the_same_principal() {
    for halve_weight in [false, true] {
        let split = |plain: &Plain, rng: &mut Rng| {
            let mut split = plain.clone();
            let one = rng.index(plain.principals.len());
            if halve_weight {
                split.principals[one].weight *= &q(1, 2);
            }
            let twin = Who { name: "twin".into(), ..split.principals[one].clone() };
            split.principals.push(twin);
            for choice in split.states.iter_mut().flatten() {
                if !halve_weight {
                    choice.rewards[one] *= &q(1, 2);
                }
                choice.rewards.push(choice.rewards[one].clone());
            }
            split
        };
        relate(30_850..30_950, split, |plain, before, changed, after| {
            same_strategy(before, after)?;
            same!(before.welfare, after.welfare, "welfare");
            let n = plain.principals.len();
            let payoffs = after.exact_payoffs();
            let one = (0..n).find(|&i| {
                payoffs[i] == payoffs[n] && changed.principals[i].discount == changed.principals[n].discount
            });
            if one.is_none() {
                return Err("the twin gets something of its own".into());
            }
            Ok(())
        });
    }
}

#[test]
fn a_duplicate_listed_last_is_never_taken_and_is_long_term_with_its_original() {
    let duplicate = |plain: &Plain, _: &mut Rng| {
        let mut changed = plain.clone();
        for choices in &mut changed.states {
            choices.push(Choice { name: "copy".into(), ..choices[0].clone() });
        }
        changed
    };
    relate(31_000..31_150, duplicate, |plain, before, _, after| {
        let mut expected = before.clone();
        for (state, choices) in expected.long_term.iter_mut().enumerate() {
            if choices.contains(&0) {
                choices.push(plain.states[state].len());
            }
        }
        same!(expected, *after, "the answers");
        Ok(())
    });
}

#[test]
fn a_duplicate_listed_first_takes_the_place_of_its_original() {
    let duplicate = |plain: &Plain, rng: &mut Rng| {
        let mut changed = plain.clone();
        for choices in &mut changed.states {
            let copy = Choice { name: "copy".into(), ..rng.pick(choices) };
            choices.insert(0, copy);
        }
        changed
    };
    relate(31_150..31_300, duplicate, |plain, before, changed, after| {
        same!(before.welfare, after.welfare, "welfare");
        same!(before.horizon, after.horizon, "horizon");
        for state in 0..plain.states.len() {
            let copied = |choice: &Choice| {
                choice.rewards == changed.states[state][0].rewards && choice.to == changed.states[state][0].to
            };
            for step in 0..=before.horizon {
                let (old, new) = (before.decision(step, state), after.decision(step, state));
                // Where the original was taken the copy is now; other ties may also go to the copy, which is listed first.
                if copied(&plain.states[state][old]) {
                    same!(new, 0, "the choice in place of the original");
                } else if new != 0 {
                    same!(old + 1, new, "the choice");
                }
            }
        }
        Ok(())
    });
}

#[test]
fn a_dominated_choice_is_never_taken() {
    let dominated = |plain: &Plain, rng: &mut Rng| {
        let mut changed = plain.clone();
        for choices in &mut changed.states {
            let mut worse = Choice { name: "worse".into(), ..rng.pick(choices) };
            for (reward, who) in worse.rewards.iter_mut().zip(&plain.principals) {
                *reward -= q(rng.within(0, 1), 3) / &who.weight;
            }
            let patient = (0..plain.principals.len()).max_by_key(|&i| plain.principals[i].discount.clone());
            let patient = patient.expect("a model has a principal");
            worse.rewards[patient] -= Q::one() / &plain.principals[patient].weight;
            choices.push(worse);
        }
        changed
    };
    relate(31_300..31_500, dominated, |_, before, _, after| {
        same!(before, after, "the answers");
        Ok(())
    });
}

#[test]
fn a_constant_added_to_one_principals_rewards_is_worth_its_perpetuity() {
    let (constant, chosen) = (q(17, 3), |plain: &Plain| plain.principals.len() / 2);
    let shift = |plain: &Plain, _: &mut Rng| {
        let mut shifted = plain.clone();
        shifted.states.iter_mut().flatten().for_each(|choice| choice.rewards[chosen(plain)] += &constant);
        shifted
    };
    relate(31_500..31_700, shift, |plain, before, _, after| {
        same_strategy(before, after)?;
        let who = &plain.principals[chosen(plain)];
        let perpetuity = &constant / (Q::one() - &who.discount);
        let worth: Vec<Q> =
            before.exact_welfare().into_iter().map(|welfare| welfare + &perpetuity * &who.weight).collect();
        same!(worth, after.exact_welfare(), "welfare");
        let mut payoffs = before.exact_payoffs();
        payoffs[chosen(plain)].iter_mut().for_each(|payoff| *payoff += &perpetuity);
        same!(payoffs, after.exact_payoffs(), "payoffs");
        Ok(())
    });
}

#[test]
fn a_weight_is_a_factor_of_the_rewards() {
    let multiply = |plain: &Plain, _: &mut Rng| {
        let mut changed = plain.clone();
        changed.principals.iter_mut().for_each(|who| who.weight = Q::one());
        for choice in changed.states.iter_mut().flatten() {
            choice.rewards.iter_mut().zip(&plain.principals).for_each(|(reward, who)| *reward *= &who.weight);
        }
        changed
    };
    relate(31_700..31_900, multiply, |plain, before, _, after| {
        same_strategy(before, after)?;
        same!(before.welfare, after.welfare, "welfare");
        let mut payoffs = before.exact_payoffs();
        for (row, who) in payoffs.iter_mut().zip(&plain.principals) {
            row.iter_mut().for_each(|payoff| *payoff *= &who.weight);
        }
        same!(payoffs, after.exact_payoffs(), "payoffs");
        Ok(())
    });
}

#[test]
fn a_state_that_nothing_leads_to_changes_no_other() {
    let add = |plain: &Plain, rng: &mut Rng| {
        let mut changed = plain.clone();
        let mut choices: Vec<Choice> = rng.pick(&plain.states);
        let reward = |rng: &mut Rng| q(rng.within(-4, 4), 1);
        let rewards = (0..plain.principals.len()).map(|_| reward(rng)).collect();
        choices.push(Choice { name: "new".into(), rewards, to: vec![(plain.states.len(), Q::one())] });
        changed.states.push(choices);
        changed.names.push("island".into());
        changed
    };
    relate(31_900..32_100, add, |plain, before, _, after| {
        if after.horizon < before.horizon {
            return Err("the horizon fell".into());
        }
        let mut after = after.clone();
        after.horizon = before.horizon;
        after.welfare.pop();
        after.long_term_welfare.pop();
        after.payoffs.iter_mut().for_each(|row| drop(row.pop()));
        after.memory.pop();
        after.long_term.pop();
        after.changes.pop();
        same!(*before, after, "the answers for the other states");
        same!(plain.states.len(), after.welfare.len(), "the number of states");
        Ok(())
    });
}

#[test]
fn a_principal_without_rewards_changes_nothing() {
    let add = |plain: &Plain, rng: &mut Rng| {
        let mut changed = plain.clone();
        // Sometimes among the others, sometimes the most patient of all.
        let discount = rng.pick(&[q(17, 31), q(991, 997), q(0, 1), q(1, 1_000_003)]);
        changed.principals.push(Who { name: "bystander".into(), discount, weight: q(-5, 7) });
        changed.states.iter_mut().flatten().for_each(|choice| choice.rewards.push(Q::zero()));
        changed
    };
    relate(32_100..32_300, add, |plain, before, _, after| {
        let mut after = after.clone();
        let nothing = after.payoffs.pop().expect("the new principal has payoffs");
        same!(
            nothing.iter().map(|figure| (figure.lower, figure.upper)).collect::<Vec<_>>(),
            vec![(0.0, 0.0); plain.states.len()],
            "payoffs of the new principal"
        );
        same!(*before, after, "the answers");
        Ok(())
    });
}

/// One step later every principal's rewards count λᵢ times as much and nothing else is different.
#[test]
fn weights_times_discounts_give_the_same_strategy_one_step_earlier() {
    let later = |plain: &Plain, _: &mut Rng| {
        let mut changed = plain.clone();
        // A discount of 0 leaves the principal nothing after the first step, and a weight of 0 is not allowed.
        for (i, who) in changed.principals.iter_mut().enumerate() {
            if who.discount.is_zero() {
                changed.states.iter_mut().flatten().for_each(|choice| choice.rewards[i] = Q::zero())
            } else {
                who.weight *= &who.discount
            }
        }
        changed
    };
    relate(32_300..32_600, later, |plain, before, _, after| {
        // Without the principals of discount 0 more choices may tie in the long term, and the horizon may be reached sooner.
        if plain.principals.iter().any(|who| who.discount.is_zero()) {
            return Ok(());
        }
        same!(before.long_term, after.long_term, "long-term choices");
        same!(before.horizon.saturating_sub(1), after.horizon, "horizon");
        for state in 0..plain.states.len() {
            for step in 0..=before.horizon {
                same!(before.decision(step + 1, state), after.decision(step, state), "the decision one step earlier");
            }
        }
        Ok(())
    });
}

#[test]
fn taking_away_what_is_never_taken_keeps_the_welfare() {
    let thin = |plain: &Plain, _: &mut Rng| {
        let reference = Reference::solve(plain, LONGEST).expect("only short horizons come here");
        let mut changed = plain.clone();
        for (state, choices) in changed.states.iter_mut().enumerate() {
            let taken = |choice: usize| (0..=reference.horizon).any(|step| reference.decision(step, state) == choice);
            let mut position = 0;
            choices.retain(|_| {
                position += 1;
                taken(position - 1)
            });
        }
        random::name(&mut changed);
        changed
    };
    relate(32_600..32_800, thin, |_, before, _, after| {
        same!(before.welfare, after.welfare, "welfare");
        same!(before.payoffs, after.payoffs, "payoffs");
        Ok(())
    });
}
