//! Lifts an answer for the classes to the states.

use super::{Classes, Quotient};
use crate::answer::{
    Answer, BoundsProof, BoundsSegment, BoundsStage, ExactProof, ExactSegment, ExactStage, LongTermAnswer, Proof,
};
use crate::evaluation::Payoffs;
use crate::model::{ChoiceId, Mdp, StateId, Structure};
use crate::number::{ExactVector, Values};
use crate::strategy::{Change, CountingStrategy};

impl<N: PartialEq> Quotient<N> {
    /// The answer for `model`, given the answer for its quotient.
    pub(crate) fn lift(&self, model: &Mdp<N>, answer: Answer) -> Answer {
        let lift = Lift { model, quotient: &self.model, classes: &self.classes };
        let long_term = |state: StateId| {
            let choices = answer.long_term.choices.get(lift.class(state)).iter();
            choices.map(move |&choice| (state, choice)).map(|(state, choice)| lift.choice(state, choice))
        };
        Answer {
            n_up_to_symmetry: Some(self.classes.len()),
            strategy: lift.strategy(&answer.strategy),
            memory: lift.each(&answer.memory),
            payoffs: lift.payoffs(&answer.payoffs),
            welfare: answer.welfare.as_ref().map(|values| lift.values(values)),
            long_term: LongTermAnswer {
                choices: model.states().map(long_term).collect(),
                payoffs: lift.payoffs(&answer.long_term.payoffs),
                is_proven: answer.long_term.is_proven,
            },
            proof: answer.proof.map(|proof| lift.proof(proof, || self.copies_tie(model))),
            ..answer
        }
    }

    /// Whether some state has two choices that lead to different but equivalent states: only exact gains prove that they tie.
    fn copies_tie(&self, model: &Mdp<N>) -> bool {
        let is_same = |one: ChoiceId, other: ChoiceId, model: &Mdp<N>| {
            let row = |choice| (model.rewards(choice), model.targets(choice), model.probabilities(choice));
            row(one) == row(other)
        };
        let of_state = |state: StateId| {
            let first = self.model.choice_range(StateId::from(self.classes.of_state(state))).start;
            let own = model.choice_range(state);
            let mut pairs = own.clone().flat_map(|one| (own.start..one).map(move |other| (one, other)));
            pairs.any(|(one, other)| {
                let in_class = |choice: usize| ChoiceId::from(first + choice - own.start);
                is_same(in_class(one), in_class(other), &self.model) && !is_same(one.into(), other.into(), model)
            })
        };
        model.states().any(of_state)
    }
}

struct Lift<'a> {
    model: &'a Structure,
    quotient: &'a Structure,
    classes: &'a Classes,
}

impl Lift<'_> {
    fn class(&self, state: StateId) -> usize {
        self.classes.of_state(state)
    }

    /// The choice of `state` at the position of `choice` in its class.
    fn choice(&self, state: StateId, choice: ChoiceId) -> ChoiceId {
        let place = choice.index() - self.quotient.choice_range(StateId::from(self.class(state))).start;
        ChoiceId::from(self.model.choice_range(state).start + place)
    }

    fn each<T: Clone>(&self, of_classes: &[T]) -> Vec<T> {
        self.model.states().map(|state| of_classes[self.class(state)].clone()).collect()
    }

    fn choices(&self, of_classes: &[ChoiceId]) -> Vec<ChoiceId> {
        self.model.states().map(|state| self.choice(state, of_classes[self.class(state)])).collect()
    }

    fn exact(&self, of_classes: &ExactVector) -> ExactVector {
        ExactVector { numerators: self.each(&of_classes.numerators), denominator: of_classes.denominator.clone() }
    }

    fn values(&self, of_classes: &Values) -> Values {
        match of_classes {
            Values::Exact(vector) => Values::Exact(self.exact(vector)),
            Values::Enclosed(enclosures) => Values::Enclosed(self.each(enclosures)),
            Values::Partly { known, enclosures } => {
                Values::Partly { known: self.each(known), enclosures: self.each(enclosures) }
            }
            Values::Near { centers, below, above } => {
                Values::Near { centers: self.each(centers), below: *below, above: *above }
            }
            Values::Only { index, number, others } => {
                debug_assert_eq!(*index, self.quotient.start().index(), "the start matters");
                Values::Only { index: self.model.start().index(), number: *number, others: *others }
            }
        }
    }

    fn payoffs(&self, of_classes: &Payoffs) -> Payoffs {
        of_classes.map(|_, values| self.values(values))
    }

    fn strategy(&self, of_classes: &CountingStrategy) -> CountingStrategy {
        let of_state = |state: StateId| {
            let changes = of_classes.changes(StateId::from(self.class(state))).iter();
            changes.map(move |change| Change { from: change.from.clone(), choice: self.choice(state, change.choice) })
        };
        CountingStrategy::from_valid_changes(self.model.states().map(of_state).collect())
    }

    /// Vectors of all classes, one after the other.
    fn phases(&self, of_classes: ExactVector) -> ExactVector {
        let phases = of_classes.numerators.chunks(self.quotient.n_states());
        ExactVector {
            numerators: phases.flat_map(|phase| self.each(phase)).collect(),
            denominator: of_classes.denominator,
        }
    }

    fn proof(&self, of_classes: Proof, copies_tie: impl Fn() -> bool) -> Proof {
        let exact = |values: &[ExactVector]| values.iter().map(|values| self.exact(values)).collect::<Vec<_>>();
        let doubles = |values: &[Vec<f64>]| values.iter().map(|values| self.each(values)).collect::<Vec<_>>();
        match of_classes {
            Proof::Exact(proof) => {
                let stage = |stage: ExactStage| ExactStage {
                    values: stage.values.as_deref().map(exact),
                    harmonic: stage.harmonic.map(|(values, exponent)| (self.phases(values), exponent)),
                    ..stage
                };
                let stages = |stages: Vec<ExactStage>| stages.into_iter().map(stage).collect::<Vec<_>>();
                let segment = |segment: ExactSegment| ExactSegment {
                    values: exact(&segment.values),
                    stages: stages(segment.stages),
                    ..segment
                };
                Proof::Exact(ExactProof {
                    values: exact(&proof.values),
                    tail: self.choices(&proof.tail),
                    stages: stages(proof.stages),
                    segments: proof.segments.into_iter().map(segment).collect(),
                    has_ties: proof.has_ties || copies_tie(),
                    ..proof
                })
            }
            Proof::Bounds(proof) => {
                let stage = |stage: BoundsStage| BoundsStage {
                    values: stage.values.as_deref().map(doubles),
                    harmonic: stage.harmonic.as_deref().map(doubles),
                    ..stage
                };
                let stages = |stages: Vec<BoundsStage>| stages.into_iter().map(stage).collect::<Vec<_>>();
                let segment = |segment: BoundsSegment| BoundsSegment {
                    values: doubles(&segment.values),
                    stages: stages(segment.stages),
                    ..segment
                };
                Proof::Bounds(BoundsProof {
                    values: doubles(&proof.values),
                    stages: stages(proof.stages),
                    segments: proof.segments.into_iter().map(segment).collect(),
                })
            }
        }
    }
}
