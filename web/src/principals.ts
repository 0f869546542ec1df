// What a principal is called, and whether its payoff is a cost.

import type { Principal } from "./documents";
import { value } from "./numbers";

/** A principal with a negative weight has costs: less is better. */
export function isCost(principal: Principal): boolean {
  return value(principal.weight) < 0;
}

/** The name, with a mark for a cost. */
export function titled(principal: Principal): string {
  return isCost(principal) ? `${principal.name} (cost)` : principal.name;
}

/** What is said below figures of which some are costs. */
export const ON_COSTS = "The welfare adds up weight times what each gets; of a cost, less is better.";
