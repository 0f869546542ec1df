// One simulated run on the graph.

import { actionAt } from "./decisions";
import type { View } from "./documents";
import { el } from "./dom";
import type { GraphPanel } from "./graph";
import { decimal, value } from "./numbers";
import { isCost } from "./principals";

const PACE = 700;

/** Numbers that look random and are the same for the same seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export class Run {
  private timer: number | null = null;
  private seed = 0;
  private draw = random(0);
  private state = 0;
  private step = 0;
  private got: number[] = [];
  private view: View | null = null;

  constructor(
    private readonly graph: GraphPanel,
    private readonly told: HTMLElement,
    private readonly button: HTMLButtonElement,
    private readonly show: (step: number) => void,
  ) {
    button.addEventListener("click", () => (this.timer === null ? this.begin() : this.stop()));
  }

  /** Another answer: a run that was under way ends. */
  reset(view: View): void {
    this.stop();
    this.view = view;
    this.button.disabled = !view.model.states;
    this.told.textContent = "";
    this.graph.mark(null);
  }

  /** Shows where the run is, after the graph was drawn again. */
  remark(): void {
    this.graph.mark(this.timer === null ? null : this.state);
  }

  private begin(): void {
    const view = this.view;
    if (!view?.model.states) return;
    this.seed += 1;
    this.draw = random(this.seed);
    this.state = view.model.states.findIndex((state) => state.name === view.solution.start);
    this.step = 0;
    this.got = view.model.principals.map(() => 0);
    this.button.textContent = "Stop the run";
    const tick = () => {
      this.advance();
      if (this.timer !== null) this.timer = window.setTimeout(tick, PACE);
    };
    this.timer = window.setTimeout(tick, PACE);
    this.show(0);
    this.tell(`Run ${this.seed}: starts`);
  }

  stop(): void {
    if (this.timer !== null) window.clearTimeout(this.timer);
    this.timer = null;
    this.button.textContent = "Play a run";
  }

  private advance(): void {
    const { model, strategy } = this.view!;
    const place = model.states![this.state]!;
    const name = actionAt(strategy!.decisions[place.name] ?? [], this.step);
    const action = place.actions.find((action) => action.name === name);
    if (!action) return this.stop();
    model.principals.forEach((principal, p) => {
      // The page knows the weights of steps only for plain discounts.
      if (principal.discount !== null) this.got[p]! += value(principal.discount) ** this.step * value(action.rewards[p]!);
    });
    let left = this.draw();
    const next = action.to.find(([, , chance]) => (left -= chance) < 0) ?? action.to.at(-1)!;
    this.step += 1;
    this.state = next[0];
    this.show(this.step);
    // The step of an action is the one at which it is taken, as everywhere on the page.
    this.tell(`Run ${this.seed}, ${model.step} ${this.step - 1}: ${action.name} in ${place.name}, now`);
    if (this.step >= 60) this.stop();
  }

  private tell(done: string): void {
    const { model } = this.view!;
    this.graph.mark(this.state);
    const got = model.principals.map((principal, p) => (principal.discount === null ? "" : `${principal.name} ${isCost(principal) ? "has cost" : "has"} ${decimal(this.got[p]!)}`));
    const where = `${done} in ${model.states![this.state]!.name}`;
    this.told.replaceChildren(el("span", {}, `${where}; so far ${got.filter(Boolean).join(", ")}.`));
  }
}
