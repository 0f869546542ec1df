// The explanation in words: which deviation pays, for whom, and until which step.

import type { Deviation, EarlierSegment, Explanation, Turn, View } from "./documents";
import { el, rove } from "./dom";
import { double, minus, shown, signed, stepNumber, stepText, value } from "./numbers";

/** How many are read at once; the others are folded away. */
const MOST = 6;

function listed(texts: string[]): HTMLElement[] {
  const items = texts.map((text) => el("li", {}, text));
  const first = el("ul", {}, ...items.slice(0, MOST));
  if (items.length <= MOST) return [first];
  return [first, el("details", {}, el("summary", {}, `${items.length - MOST} more`), el("ul", {}, ...items.slice(MOST)))];
}

export function drawExplanation(place: HTMLElement, view: View): void {
  const { solution, model } = view;
  const answer = solution.states[solution.start]!;
  const lines: HTMLElement[] = [];
  const patient = [...new Set(solution.principals.map((principal) => whose(principal.name)))];
  const inTheLongRun = patient.length > 1 ? "In the long run the most patient principal decides: the" : "The";
  const best = `${inTheLongRun} long-term strategy is best for ${patient.join(", then for ")}${solution.explanation?.earlier ? `, as ${model.step}s count in the end` : ""}.`;
  const tail = solution.long_term === "proven" ? "it" : "the strategy of the tail, assumed to be that one,";
  lines.push(el("p", {}, `${best} From ${solution.start} ${tail} earns `, shown(answer.long_term_welfare), "."));
  const memory = stepText(answer.memory);
  const isMore = Number(answer.welfare.lower) > Number(answer.long_term_welfare.upper);
  if (stepNumber(answer.memory) === 0 && isMore) {
    lines.push(el("p", {}, "The plan takes long-term actions from the start. Several are, and those that it takes earn ", shown(minus(answer.welfare, answer.long_term_welfare)), " more before."));
  } else if (stepNumber(answer.memory) === 0) {
    const known = solution.long_term === "proven" ? `: no deviation pays from ${solution.start}` : "";
    lines.push(el("p", {}, `The plan is that strategy from the first ${model.step} on${known}.`));
  } else {
    const counts = solution.needs_counting === false ? ", although an equally good strategy is known that does not count" : "";
    lines.push(el("p", {}, `The plan deviates from it for a while, counts ${memory} ${model.step}${memory === "1" ? "" : "s"}${counts}, and gains `, shown(minus(answer.welfare, answer.long_term_welfare)), " by that."));
  }
  const explanation = solution.explanation;
  if (!explanation) {
    const why = solution.engine === "certified" ? "it was proven in doubles" : "the model is large";
    lines.push(el("p", { class: "note" }, `The steps are not shown here: ${why}. The program has them: commonweal solve --exact --explain.`));
  } else {
    lines.push(...(explanation.earlier ? inSegments(explanation, explanation.earlier, view) : inOne(explanation, view)));
    if (explanation.changes.length > 0) {
      lines.push(el("h4", {}, "Changes of the plan"));
      const turns = [...explanation.changes].reverse();
      lines.push(...listed(turns.map((turn) => turned(turn, model.step))));
    }
    lines.push(el("p", {}, `From ${model.step} ${stepText(solution.horizon)} on no deviation pays, in any state: that is the horizon.`));
  }
  place.replaceChildren(...lines);
  rove(place, ".number");
}

/** The deviations where steps always count in the same way. */
function inOne({ deviations }: Explanation, view: View): HTMLElement[] {
  const lines: HTMLElement[] = [];
  const paying = deviations.filter((deviation) => deviation.pays_from !== null);
  if (paying.length > 0) {
    lines.push(el("h4", {}, "Deviations that pay by themselves"), ...listed(paying.map((deviation) => inWords(deviation, view, "0"))));
    if (view.model.principals.length > 1) lines.push(el("p", { class: "note" }, "Each pays for a while only: later the impatient count less."));
    if (view.model.principals.some((principal) => principal.weight !== "1")) {
      lines.push(el("p", { class: "note" }, "The figures are each principal's own, before its weight; whether a deviation pays is decided with the weights."));
    }
  }
  const never = deviations.length - paying.length;
  if (never > 0) lines.push(el("p", { class: "note" }, `${choices(never)} never ${never === 1 ? "pays by itself" : "pay by themselves"}.`));
  return lines;
}

/** The deviations where time preferences have segments, the first segment first. */
function inSegments(explanation: Explanation, earlier: EarlierSegment[], view: View): HTMLElement[] {
  const { step } = view.model;
  const capital = step[0]!.toUpperCase() + step.slice(1);
  const last = { from: Math.max(...earlier.map((segment) => segment.until)), until: null, deviations: explanation.deviations };
  const parts = [...[...earlier].reverse(), last].map(({ from, until, deviations }) => {
    const name = until === null ? `From ${step} ${stepText(from)} on` : until === from + 1 ? `${capital} ${stepText(from)}` : `${capital}s ${stepText(from)} to ${stepText(until - 1)}`;
    if (deviations === null) return [el("h4", {}, name), el("p", { class: "note" }, `These are too many ${step}s to look at each of them.`)];
    const paying = deviations.filter((deviation) => deviation.pays_from !== null);
    const never = deviations.length - paying.length;
    const rest = never === 0 ? "" : `${choices(never)} ${never === 1 ? "pays" : "pay"} by ${never === 1 ? "itself" : "themselves"} in none of these ${step}s.`;
    const told = paying.map((deviation) => inWords(deviation, view, until === null ? null : stepText(deviation.pays_from!)));
    return [el("h4", {}, name), ...(told.length > 0 ? listed(told) : []), rest ? el("p", { class: "note" }, rest) : null].filter((line) => line !== null);
  });
  parts.unshift([el("p", { class: "note" }, `A deviation pays by itself if taking it once, and the long-term strategy before and after it, earns more welfare than that strategy. Figures are as of ${step} 0.`)]);
  // Where each step is a segment of its own, there are hundreds: the first and the last are read at once.
  if (parts.length <= 2 * MOST) return parts.flat();
  const between = parts.slice(MOST + 1, -1);
  return [...parts.slice(0, MOST + 1).flat(), el("details", {}, el("summary", {}, `${between.length} more segments`), ...between.flat()), ...parts.at(-1)!];
}

function choices(n: number): string {
  return `${n} other ${n === 1 ? "choice" : "choices"}`;
}

/** A time preference that is made of several discounts has an entry for each: `society (100/101)`. */
function whose(name: string): string {
  return name.replace(/ \([^()]*\)$/, "");
}

/** The change of one principal's payoff: its own, before its weight. The sum of several with the same discount has no figure of its own
 * for each, and is said to be weighted if they are. */
function figure(name: string, change: number, view: View): string {
  const weightOf = (one: string) => value(view.model.principals.find((principal) => principal.name === one)?.weight ?? "1");
  const members = view.solution.principals.find((principal) => principal.name === name)?.members;
  if (members) return `${name} (${members.some((one) => weightOf(one) !== 1) ? "weighted " : ""}${signed(change)})`;
  const weight = weightOf(name);
  return `${name} (${signed(change / weight)}${weight < 0 ? " of cost" : ""})`;
}

/** Where and when a deviation pays, who gains and who loses; with figures if they are those of one use `at` a step, as of step 0. */
function inWords(deviation: Deviation, view: View, at: string | null): string {
  const { step } = view.model;
  const changes = Object.entries(deviation.advantages).map(([name, number]) => [name, double(number)] as const);
  const for_ = (sign: number) => changes.filter(([, change]) => Math.sign(change) === sign).map(([name, change]) => (at === null ? name : figure(name, change, view)));
  const [gains, pays] = [for_(1), for_(-1)];
  const last = stepNumber(deviation.pays_until!) - 1;
  const first = stepNumber(deviation.pays_from!);
  const until = last === first ? `at ${step} ${stepText(first)}` : `from ${step} ${stepText(deviation.pays_from!)} to ${stepText(typeof deviation.pays_until === "number" ? last : deviation.pays_until!)}`;
  const who = [gains.length > 0 && `better for ${gains.join(", ")}`, pays.length > 0 && `worse for ${pays.join(", ")}`].filter(Boolean).join(" and ");
  return `In ${deviation.state}, “${deviation.action}” pays ${until}: ${at === null || until === `at ${step} ${at}` ? "" : `at ${step} ${at} `}it is ${who}.`;
}

function turned(turn: Turn, step: string): string {
  const told = (what: string, names: string[] | null) => (names && names.length > 0 ? `${what} for ${names.join(", ")}` : "");
  const who = [told("better", turn.better_for), told("worse", turn.worse_for)].filter(Boolean).join(" and ");
  return `In ${turn.state}, from ${step} ${stepText(turn.step)} on “${turn.after}” takes the place of “${turn.before}”${who ? `: then it is ${who}` : ""}.`;
}
