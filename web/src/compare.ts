// The plan compared with other strategies: gains and losses of each principal.

import { ask } from "./api";
import type { Compared, Num, Principal, Solution, View } from "./documents";
import { el, listed, rove, steadily, table } from "./dom";
import { RULES, type Compromise } from "./front";
import { double, exactly, minus, shown, text, value, weighted } from "./numbers";
import { isCost, titled } from "./principals";
import { isSame, type Question, type Shown } from "./state";

const NAMES: Record<string, string> = {
  counting: "the plan (counting)",
  stationary: "best stationary",
  positional: "best positional",
  "long-term": "long-term",
  "no commitment": "no commitment",
};

/** A larger model is not compared unasked: each class is a search. */
const FEW = 200;

/** Whether a view is compared on the page. */
export function isCompared({ model, solution }: View): boolean {
  return model.n_states <= FEW && solution.engine === "exact";
}

export class ComparePanel {
  /** What is compared, or being compared. */
  private shown: Shown | null = null;
  private compared: Compared[] = [];
  /** The fair points of the same question. */
  private fair: Compromise[] = [];
  private asking: AbortController | null = null;
  /** Whether the question was ended before it was answered. */
  private isCancelled = false;

  constructor(
    private readonly place: HTMLElement,
    private readonly status: HTMLElement,
  ) {}

  /** Compares the plan of a view with others, unless that is known already. */
  async show(shown: Shown): Promise<void> {
    const before = this.shown;
    this.shown = shown;
    if (before && !this.isCancelled && isSame(before.asked, shown.asked)) {
      this.draw();
      return;
    }
    [this.compared, this.fair, this.isCancelled] = [[], [], false];
    this.place.classList.add("old");
    this.asking?.abort();
    this.asking = null;
    if (!isCompared(shown.view)) {
      this.clear();
      this.status.textContent = "The model is too large to be compared here; the program does it: commonweal solve --compare.";
      return;
    }
    const asking = new AbortController();
    this.asking = asking;
    this.status.textContent = "Comparing …";
    try {
      const answer = await ask<Solution>("/api/solve", { ...shown.asked, compare: true, time_limit: 60 }, asking.signal);
      this.asking = null;
      this.compared = answer.data?.comparison ?? [];
      this.status.textContent = answer.ok ? barsInWords(shown) : answer.error.message;
      if (this.compared.length === 0) this.clear();
      this.draw();
    } catch (error) {
      // Another comparison was asked for meanwhile.
      if (!asking.signal.aborted) throw error;
    }
  }

  /** Adds the fair points of a question, if it is the one that is compared. */
  add(asked: Question, fair: Compromise[]): void {
    if (!this.shown || !isSame(this.shown.asked, asked)) return;
    this.fair = fair;
    this.draw();
  }

  /** Ends a question that is still open, so that the view need not wait for it. It is asked again when it is shown. */
  cancel(): void {
    if (!this.asking) return;
    this.asking.abort();
    [this.asking, this.isCancelled] = [null, true];
  }

  /** Another model is shown: nothing of the one before stays, and nothing more comes of it. */
  forget(): void {
    this.asking?.abort();
    [this.asking, this.shown, this.compared, this.fair] = [null, null, [], []];
    this.status.replaceChildren();
    this.clear();
  }

  private clear(): void {
    this.place.classList.remove("old");
    this.place.replaceChildren();
  }

  private draw(): void {
    const [plan] = this.compared;
    if (!this.shown || !plan) return;
    this.place.classList.remove("old");
    const { model } = this.shown.view;
    const { principals } = model;
    const known = new Set(this.compared.map((one) => one.rule));
    const rows: Row[] = [
      ...this.compared.map((one) => ({ name: label(one, model.step) + (one.status ? " (stopped)" : ""), payoffs: one.payoffs, ...welfareOf(one) })),
      ...this.fair.filter((one) => !known.has(one.rule)).map((one) => ({ name: `fair: ${one.name}`, payoffs: one.payoffs, welfare: weighted(principals.map((own) => [own.weight, one.payoffs[own.name]!])) })),
    ];
    const changeOf = (row: Row, { name }: Principal) => minus(row.payoffs[name]!, plan.payoffs[name]!);
    // Changes count as the welfare counts them, so that pounds and years have one scale; who has no weight has a scale of its own.
    const size = (row: Row, principal: Principal) => {
      const { lower, upper } = changeOf(row, principal);
      return (Math.abs(value(principal.weight)) || 1) * Math.max(Math.abs(Number(lower)), Math.abs(Number(upper)));
    };
    const largestOf = (some: Principal[]) => Math.max(0, ...rows.flatMap((row) => some.map((one) => size(row, one))).filter(Number.isFinite));
    const largest = largestOf(principals.filter((one) => value(one.weight) !== 0));
    const scaleOf = (one: Principal) => (value(one.weight) === 0 ? largestOf([one]) : largest / Math.abs(value(one.weight)));
    const cell = (row: Row, principal: Principal) => {
      const bar = row.payoffs === plan.payoffs ? null : el("span", { class: "bar", "aria-hidden": "true" }, ...bars(changeOf(row, principal), scaleOf(principal), isCost(principal)));
      return el("div", { class: "versus" }, shown(row.payoffs[principal.name]!), bar);
    };
    const best = withUpper(plan.welfare, plan.upper);
    const head = ["strategy", "welfare", "loses", ...principals.map(titled)];
    const cells = rows.map((row, at) => [row.name, shown(row.welfare, row.told), at === 0 ? "" : loss(best, row.welfare), ...principals.map((one) => cell(row, one))]);
    const found = listed(table(head, cells, "What other strategies give"));
    steadily(() => this.place.replaceChildren(el("div", { class: "scroll" }, found)));
    rove(this.place, ".number");
  }
}

interface Row {
  name: string;
  payoffs: Record<string, Num>;
  welfare: Num;
  /** What stands behind the welfare, where that is more than the number. */
  told?: string;
}

/** What the bars show, in words. */
function barsInWords({ view }: Shown): string {
  const isWeighted = view.model.principals.some((one) => value(one.weight) !== 1);
  return `Bars show what each gets more or less than under the plan${isWeighted ? ", times its weight" : ""}; to the right is better.`;
}

/** The bars of a change: what is sure, and paler behind it what is possible between its bounds. */
function bars(change: Num, scale: number, isCost: boolean): HTMLElement[] {
  const [lower, upper] = [Number(change.lower), Number(change.upper)];
  const bar = (to: number, isSure: boolean) => {
    const share = scale > 0 ? Math.min(50, Math.round((50 * Math.abs(to)) / scale)) : 0;
    return el("i", { class: `${to > 0 !== isCost ? "gain" : "loss"}${isSure ? "" : " possible"}`, style: `--share:${share}%` });
  };
  const sure = change.exact ? double(change) : lower > 0 ? lower : upper < 0 ? upper : 0;
  const possible = change.exact ? [] : [lower, upper].filter((end) => end !== 0 && (sure === 0 || Math.abs(end) > Math.abs(sure)));
  return [bar(sure, true), ...possible.map((end) => bar(end, false))];
}

/** The welfare of a row: if its class may have a better one than was found, from that one's welfare to the upper bound. */
function welfareOf({ welfare, upper }: Compared): Pick<Row, "welfare" | "told"> {
  if (upper === undefined || Number(upper) <= Number(welfare.upper)) return { welfare };
  return { welfare: withUpper(welfare, upper), told: `the one found has ${exactly(welfare)}; none of its class has more than ${Number(upper)}` };
}

function withUpper(welfare: Num, upper: number | string | undefined): Num {
  if (upper === undefined || Number(upper) <= Number(welfare.upper)) return welfare;
  return { lower: welfare.lower, upper, value: welfare.value };
}

/** What is lost against the best, which nothing exceeds: a number, or bounds where either is known only between bounds. */
function loss(best: Num, welfare: Num): string {
  const { exact, lower, upper, value } = minus(best, welfare);
  if (exact) return text({ exact, lower, upper, value });
  const [least, most] = [Math.max(0, Number(lower)), Math.max(0, Number(upper))];
  return text({ lower: least, upper: most, value: Math.min(Math.max(Number(value), least), most) });
}

function label(one: Compared, step: string): string {
  if (one.strategy === "re-planned") return `re-planned every ${step}`;
  if (one.principal) return `best for ${one.principal}`;
  if (one.rule) return `fair: ${RULES.find(([rule]) => rule === one.rule)?.[1] ?? one.rule}`;
  return NAMES[one.strategy] ?? one.strategy;
}
