// The plan compared with other strategies: gains and losses of each principal.

import { ask } from "./api";
import type { Compared, Num, Solution, View } from "./documents";
import { el, rove, table } from "./dom";
import { RULES, type Compromise } from "./front";
import { decimal, double, isWide, shown, value } from "./numbers";
import { question, type State } from "./state";

const NAMES: Record<string, string> = {
  counting: "the plan (counting)",
  stationary: "best stationary",
  positional: "best positional",
  "long-term": "long-term",
  "no commitment": "no commitment",
};

/** A larger model is not compared unasked: each class is a search. */
const FEW = 200;

export class ComparePanel {
  private key = "";
  private model = "";
  private compared: Compared[] = [];
  private asking: AbortController | null = null;

  constructor(
    private readonly place: HTMLElement,
    private readonly status: HTMLElement,
  ) {}

  async show(state: State, view: View, fair: Compromise[]): Promise<void> {
    const key = JSON.stringify(question(state));
    if (key === this.key) {
      this.draw(view, fair);
      return;
    }
    this.key = key;
    this.place.classList.add("old");
    if (this.model !== state.model) this.place.replaceChildren();
    this.model = state.model;
    this.asking?.abort();
    const asking = new AbortController();
    this.asking = asking;
    if (view.model.n_states > FEW || view.solution.engine !== "exact") {
      this.asking = null;
      this.compared = [];
      this.place.replaceChildren();
      this.status.textContent = "The model is too large to be compared here; the program does it: commonweal solve --compare.";
      return;
    }
    this.status.textContent = "Comparing …";
    try {
      const answer = await ask<Solution>("/api/solve", { ...question(state), compare: true, time_limit: 60 }, asking.signal);
      this.asking = null;
      this.compared = answer.data?.comparison ?? [];
      this.status.textContent = answer.ok ? "Bars show what each gets more or less than under the plan." : answer.error.message;
      this.draw(view, fair);
    } catch (error) {
      // Another comparison was asked for meanwhile.
      if (!asking.signal.aborted) throw error;
    }
  }

  /** Ends a question that is still open, so that the view need not wait for it. It is asked again when it is shown. */
  cancel(): void {
    if (!this.asking) return;
    this.asking.abort();
    [this.asking, this.key] = [null, ""];
  }

  draw(view: View, fair: Compromise[]): void {
    if (this.asking) return;
    this.place.classList.remove("old");
    const [plan] = this.compared;
    if (!plan) {
      this.place.replaceChildren();
      return;
    }
    const principals = view.model.principals;
    const isCost = (name: string) => principals.some((one) => one.name === name && value(one.weight) < 0);
    const known = new Set(this.compared.map((one) => label(one, view.model.step)));
    const sum = (payoffs: Record<string, Num>) => principals.reduce((sum, one) => sum + value(one.weight) * double(payoffs[one.name]!), 0);
    const rows = [
      ...this.compared.map((one) => ({
        name: label(one, view.model.step) + (one.status ? " (stopped)" : ""),
        payoffs: one.payoffs,
        welfare: shown(one.welfare) as Node,
        cost: isWide(one.welfare) ? 0 : double(plan.welfare) - double(one.welfare),
      })),
      ...fair.filter((one) => !known.has(`fair: ${one.name}`)).map((one) => ({
        name: `fair: ${one.name}`,
        payoffs: one.payoffs,
        welfare: document.createTextNode(decimal(sum(one.payoffs))) as Node,
        cost: double(plan.welfare) - sum(one.payoffs),
      })),
    ];
    const narrow = rows.filter((row) => principals.every((one) => !isWide(row.payoffs[one.name]!)));
    const largest = Math.max(1e-12, ...narrow.flatMap((row) => principals.map((one) => Math.abs(double(row.payoffs[one.name]!) - double(plan.payoffs[one.name]!)))));
    const cell = (row: (typeof rows)[number], name: string) => {
      const change = double(row.payoffs[name]!) - double(plan.payoffs[name]!);
      const share = Math.round((50 * Math.abs(change)) / largest);
      const bar = el("i", { class: change > 0 !== isCost(name) ? "gain" : "loss", style: `--share:${share}%` });
      return el("div", { class: "versus" }, shown(row.payoffs[name]!), row.payoffs === plan.payoffs || isWide(row.payoffs[name]!) ? null : el("span", { class: "bar", "aria-hidden": "true" }, bar));
    };
    const nothing = (cost: number) => Math.abs(cost) < 1e-9 * Math.max(1, Math.abs(double(plan.welfare)));
    const head = ["strategy", "welfare", "loses", ...principals.map((one) => (isCost(one.name) ? `${one.name} (cost)` : one.name))];
    const cells = rows.map((row) => [row.name, row.welfare, nothing(row.cost) ? "" : decimal(row.cost), ...principals.map((one) => cell(row, one.name))]);
    const found = table(head, cells, "What other strategies give");
    // On a phone each row is a list of its own, with the names of the columns.
    for (const row of found.tBodies[0]!.rows) [...row.cells].forEach((cell, at) => (cell.dataset.column = head[at]!));
    this.place.replaceChildren(el("div", { class: "scroll" }, found));
    rove(this.place, ".number");
  }
}

function label(one: Compared, step: string): string {
  if (one.strategy === "re-planned") return `re-planned every ${step}`;
  if (one.principal) return `best for ${one.principal}`;
  if (one.rule) return `fair: ${RULES.find(([rule]) => rule === one.rule)?.[1] ?? one.rule}`;
  return NAMES[one.strategy] ?? one.strategy;
}
