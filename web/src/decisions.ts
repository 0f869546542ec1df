// What a strategy does in a state.

import type { Decision } from "./documents";
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
