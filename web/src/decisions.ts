// What a strategy does in a state.

import type { Decision, Place } from "./documents";
import { stepNumber, stepText } from "./numbers";

/** What is done at a step. */
export function actionAt(decisions: Decision[], step: number): string | null {
  return decisions.findLast((decision) => stepNumber(decision.from) <= step)?.action ?? null;
}

/** What is done, in words. */
export function played(decisions: Decision[], step: string): string {
  if (decisions.length === 0) return "nothing is listed";
  const told = decisions.map((decision, at) => {
    const next = decisions[at + 1];
    if (!next) return at === 0 ? `always ${decision.action}` : `then ${decision.action} for ever`;
    return `${decision.action} before ${step} ${stepText(next.from)}`;
  });
  return told.join(", ");
}

/** Where two strategies do different things for the first time. */
export interface Difference {
  state: string;
  step: number;
  actions: [string, string];
}

/** The first step at which two strategies differ in a state that is met by then; null if they never do, or not before `most` steps. */
export function firstDifference(one: Record<string, Decision[]>, other: Record<string, Decision[]>, places: Place[], start: string, most = 2000): Difference | null {
  const byName = new Map(places.map((place) => [place.name, place]));
  let met = new Set([start]);
  for (let step = 0; step < most; step++) {
    const next = new Set<string>();
    for (const state of met) {
      const actions = [one, other].map((own) => actionAt(own[state] ?? [], step) ?? "") as [string, string];
      if (actions[0] !== actions[1]) return { state, step, actions };
      const row = byName.get(state)?.actions.find((row) => row.name === actions[0]);
      for (const [to] of row?.to ?? []) next.add(places[to]!.name);
    }
    met = next;
  }
  return null;
}
