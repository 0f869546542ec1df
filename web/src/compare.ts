// The plan compared with other strategies: gains and losses of each principal.

import { ask } from "./api";
import type { Compared, Num, Principal, Solution } from "./documents";
import { el, listed, rove, steadily, table } from "./dom";
import { RULES, type Compromise } from "./front";
import { between, decimal, double, exactly, isWide, shown, value } from "./numbers";
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
    if (shown.view.model.n_states > FEW || shown.view.solution.engine !== "exact") {
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
      this.status.textContent = answer.ok ? "Bars show what each gets more or less than under the plan; to the right is better." : answer.error.message;
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
      ...this.fair.filter((one) => !known.has(one.rule)).map((one) => ({ name: `fair: ${one.name}`, payoffs: one.payoffs, welfare: sum(principals, one.payoffs) })),
    ];
    /** How much more or less than under the plan; null where bounds do not say. */
    const changeOf = (row: Row, { name }: Principal): number | null => {
      const [own, planned] = [row.payoffs[name]!, plan.payoffs[name]!];
      return isWide(own) || isWide(planned) ? null : double(own) - double(planned);
    };
    const largest = Math.max(0, ...rows.flatMap((row) => principals.map((one) => Math.abs(changeOf(row, one) ?? 0))));
    const cell = (row: Row, principal: Principal) => {
      const change = changeOf(row, principal);
      const bar = (change: number) => el("i", { class: change > 0 !== isCost(principal) ? "gain" : "loss", style: `--share:${largest > 0 ? Math.round((50 * Math.abs(change)) / largest) : 0}%` });
      return el("div", { class: "versus" }, shown(row.payoffs[principal.name]!), row.payoffs === plan.payoffs || change === null ? null : el("span", { class: "bar", "aria-hidden": "true" }, bar(change)));
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

/** The welfare of a row. An upper bound of its class is told even if it is so near that one number stands for both. */
function welfareOf({ welfare, upper }: Compared): Pick<Row, "welfare" | "told"> {
  const shownAs = withUpper(welfare, upper);
  if (upper === undefined || shownAs !== welfare || Number(upper) <= Number(welfare.upper)) return { welfare: shownAs };
  return { welfare, told: `the one found has ${exactly(welfare)}; none of its class has more than ${Number(upper)}` };
}

/** The welfare of a class whose best strategy is not known: from what was found to the upper bound, unless they are nearly the same. */
function withUpper(welfare: Num, upper: number | string | undefined): Num {
  const lower = Number(welfare.lower);
  if (upper === undefined || Number(upper) - lower <= 1e-5 * Math.max(Math.abs(lower), Math.abs(Number(upper)))) return welfare;
  return { lower, upper, value: (lower + Number(upper)) / 2 };
}

/** The weighted sum of payoffs, each between its bounds. */
function sum(principals: Principal[], payoffs: Record<string, Num>): Num {
  const total = (of: (number: Num, weight: number) => number | string) =>
    principals.reduce((total, one) => total + value(one.weight) * Number(of(payoffs[one.name]!, value(one.weight))), 0);
  return {
    lower: total((number, weight) => (weight < 0 ? number.upper : number.lower)),
    upper: total((number, weight) => (weight < 0 ? number.lower : number.upper)),
    value: total((number) => number.value),
  };
}

/** What is lost against the best, which nothing exceeds: a number, or bounds where either is known only between bounds. */
function loss(best: Num, welfare: Num): string {
  const scale = Math.max(1, Math.abs(double(best)));
  const [least, most] = [Math.max(0, Number(best.lower) - Number(welfare.upper)), Math.max(0, Number(best.upper) - Number(welfare.lower))];
  if (isWide(best) || isWide(welfare)) return between(least, most);
  const lost = double(best) - double(welfare);
  return Math.abs(lost) < 1e-9 * scale ? "0" : decimal(lost);
}

function label(one: Compared, step: string): string {
  if (one.strategy === "re-planned") return `re-planned every ${step}`;
  if (one.principal) return `best for ${one.principal}`;
  if (one.rule) return `fair: ${RULES.find(([rule]) => rule === one.rule)?.[1] ?? one.rule}`;
  return NAMES[one.strategy] ?? one.strategy;
}
