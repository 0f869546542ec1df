// What a strategy does in a state.

import type { Decision, Place, Step, View } from "./documents";
import { stepNumber, stepText } from "./numbers";

/** What is done at a step. */
export function actionAt(decisions: Decision[], step: number): string | null {
  return decisions.findLast((decision) => stepNumber(decision.from) <= step)?.action ?? null;
}

/** A part of a state's plan: an action, and the step at which the next one takes its place. */
interface Stage {
  action: string;
  until: Step | null;
}

/** Whether a state can be met from one step on, before another; null for no end. */
type Meets = (from: Step, until: Step | null) => boolean;

/** What is done in a state at steps at which it can be met: what is decided for other steps never happens. */
function stages(decisions: Decision[], meets: Meets): Stage[] {
  const found: Stage[] = [];
  decisions.forEach(({ from, action }, at) => {
    const until = decisions[at + 1]?.from ?? null;
    if (!meets(from, until)) return;
    const last = found.at(-1);
    if (last?.action === action) last.until = until;
    else found.push({ action, until });
  });
  return found;
}

/** More changes are not spelt out. */
const MOST_CHANGES = 8;

/** What is done in the start state, in the words of the program: `always b`, `a for 2 steps, then b`. Each action is `marked`. */
function inWords<T>(all: Stage[], step: string, marked: (action: string, at: number) => T): (T | string)[] {
  if (all.length === 0) return ["nothing is listed"];
  if (all.length === 1) return ["always ", marked(all[0]!.action, 0)];
  const lasts = (at: number) => BigInt(all[at]!.until!) - BigInt(all[at - 1]?.until ?? 0);
  const told = all.slice(0, Math.min(all.length - 1, MOST_CHANGES)).flatMap(({ action }, at) => {
    const n = lasts(at);
    return [marked(action, at), ` for ${stepText(String(n))} ${step}${n === 1n ? "" : "s"}, `];
  });
  const more = all.length - 1 - MOST_CHANGES;
  return [...told, more > 0 ? `… ${more} more changes …, in the end ` : "then ", marked(all.at(-1)!.action, all.length - 1)];
}

/** What the plan does in the start state, in words. */
export function planned<T>({ model, solution, timeline }: View, marked: (action: string, at: number) => T): (T | string)[] {
  const { decisions } = solution.states[solution.start]!;
  const runs = timeline.rows.find((row) => row.state === solution.start)?.runs;
  // Steps may be greater than doubles tell apart.
  const isBefore = (step: Step, end: Step | null | undefined) => end == null || BigInt(step) < BigInt(end);
  const meets: Meets = (from, until) => !runs || runs.some((run, at) => run.action !== null && isBefore(run.from, until) && isBefore(from, runs[at + 1]?.from));
  return inWords(stages(decisions, meets), model.step, marked);
}

/** What another strategy does in the start state, in words. */
export function played({ model, solution }: View, strategy: Record<string, Decision[]>): string {
  const own = strategy[solution.start] ?? [];
  const meets = model.states ? meetings(strategy, model.states, solution.start) : () => true;
  return inWords(stages(own, meets), model.step, (action) => action).join("");
}

/** The states that can be met at each step, without end. */
function* met(strategy: Record<string, Decision[]>, places: Place[], start: string): Generator<Set<string>> {
  const byName = new Map(places.map((place) => [place.name, place]));
  let states = new Set([start]);
  for (let step = 0; ; step++) {
    yield states;
    const next = new Set<string>();
    for (const state of states) {
      const action = actionAt(strategy[state] ?? [], step);
      const row = byName.get(state)?.actions.find((row) => row.name === action);
      for (const [to] of row?.to ?? []) next.add(places[to]!.name);
    }
    states = next;
  }
}

/** More steps are not followed. */
const MOST_STEPS = 2000;

/** When a strategy can be in its start state. Where that would take too many steps to say, at all of them. */
function meetings(strategy: Record<string, Decision[]>, places: Place[], start: string): Meets {
  const changes = Object.values(strategy).flatMap((decisions) => decisions.map((decision) => stepNumber(decision.from)));
  const settled = changes.reduce((latest, step) => Math.max(latest, step), 0);
  if (settled > MOST_STEPS) return () => true;
  const steps: number[] = [];
  const after = new Set<string>();
  let step = 0;
  for (const states of met(strategy, places, start)) {
    // From the last change on, what can be met is met for the first time within as many steps as there are states.
    const isNew = step <= settled || [...states].some((state) => !after.has(state));
    if (!isNew) break;
    if (states.has(start)) steps.push(step);
    if (step >= settled) for (const state of states) after.add(state);
    step++;
  }
  return (from, until) => steps.some((step) => step >= stepNumber(from) && (until === null || step < stepNumber(until)));
}

/** Where two strategies do different things for the first time. */
export interface Difference {
  state: string;
  step: number;
  actions: [string, string];
}

/** The first step at which two strategies differ in a state that is met by then; null if they never do, or not before many steps. */
export function firstDifference(one: Record<string, Decision[]>, other: Record<string, Decision[]>, places: Place[], start: string): Difference | null {
  let step = 0;
  for (const states of met(one, places, start)) {
    for (const state of states) {
      const actions = [one, other].map((own) => actionAt(own[state] ?? [], step) ?? "") as [string, string];
      if (actions[0] !== actions[1]) return { state, step, actions };
    }
    if (++step >= MOST_STEPS) break;
  }
  return null;
}
