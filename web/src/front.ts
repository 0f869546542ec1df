// The Pareto front of two principals, the points that rules choose on it, and the details of a chosen point.

import { ask } from "./api";
import { firstDifference, played } from "./decisions";
import type { Decision, Fair, Front, Num, View } from "./documents";
import { el, roomOf, rove, short, steadily, svg } from "./dom";
import { double, middle, minus, normalised, shown, shownFraction, shownSigned, stepText, text, value } from "./numbers";
import { series } from "./palette";
import { plane, range } from "./plane";
import { isCost } from "./principals";
import { inDoubles, isSame, type Question, type Shown } from "./state";

/** A point that a click shows. */
export interface Compromise {
  name: string;
  /** The rule that chooses it, if one does. */
  rule?: string;
  payoffs: Record<string, Num>;
  /** The strategies that are drawn from, with their probabilities. */
  mix: { probability: string; decisions: Record<string, Decision[]> }[];
  weights: Record<string, string>;
  /** Weights for which it alone is optimal, if they are known. */
  alone?: Record<string, string> | undefined;
}

export const RULES: [string, string][] = [
  ["max-min", "max-min"],
  ["leximin", "leximin"],
  ["nash", "Nash"],
  ["kalai-smorodinsky", "Kalai–Smorodinsky"],
];

/** How many vertices a front has here: more cannot be told apart. What takes this many seconds is given up. */
const VERTICES = 24;
const LIMIT = 30;

/** Marks of the rules' points: they differ in shape as well as in colour. */
const SHAPES = ["M0-7L6 5H-6Z", "M-5-5H5V5H-5Z", "M0-7L7 0L0 7L-7 0Z", "M-6-2H-2V-6H2V-2H6V2H2V6H-2V2H-6Z"];

type Axes = [string, string];

export class FrontPanel {
  /** What the front is of that is shown, or being computed, and which two principals it shows. */
  private of: { shown: Shown; axes: Axes } | null = null;
  private front: Front | null = null;
  private fair: Compromise[] = [];
  private asking: AbortController | null = null;
  /** Whether the question was ended before it was answered. */
  private isCancelled = false;
  /** The name of the mark whose details are shown. */
  private chosen: string | null = null;

  constructor(
    private readonly place: HTMLElement,
    private readonly status: HTMLElement,
    private readonly told: HTMLElement,
    private readonly use: (asked: Question, weights: Record<string, string>) => void,
  ) {}

  /** Ends a question that is still open, so that the view need not wait for it. It is asked again when it is shown. */
  cancel(): void {
    if (!this.asking) return;
    this.asking.abort();
    [this.asking, this.isCancelled] = [null, true];
  }

  /** Another model is shown: nothing of the one before stays, and nothing more comes of it. */
  forget(): void {
    this.asking?.abort();
    [this.of, this.front, this.fair] = [null, null, []];
    for (const part of [this.status, this.told]) part.replaceChildren();
    this.clear();
  }

  /** The question of a file of the front on the page, if there is one. Of a small model the file has more vertices. */
  drawn(): object | null {
    if (!this.front || !this.of) return null;
    const { shown, axes } = this.of;
    return { ...question(shown, axes), ...(question(shown, axes).gap ? { vertices: VERTICES } : {}) };
  }

  private clear(): void {
    this.place.classList.remove("old");
    this.place.replaceChildren();
  }

  /** The compromises that are known, if they answer this question. */
  compromises(asked: Question): Compromise[] {
    return this.of && isSame(this.of.shown.asked, asked) ? this.fair : [];
  }

  /** Shows the front of a view; all of its compromises are known when it is done. */
  async show(shown: Shown, axes: Axes): Promise<void> {
    const before = this.of;
    this.of = { shown, axes };
    if (before && !this.isCancelled && isSame(before.shown.asked, shown.asked) && String(before.axes) === String(axes)) {
      this.draw();
      return;
    }
    [this.front, this.fair, this.chosen, this.isCancelled] = [null, [], null, false];
    this.place.classList.add("old");
    this.told.replaceChildren();
    this.asking?.abort();
    const asking = new AbortController();
    this.asking = asking;
    this.status.textContent = "Computing the front …";
    const hasCosts = shown.view.model.principals.some(isCost);
    try {
      const body = { ...shown.asked, time_limit: LIMIT };
      const answer = await ask<Front>("/api/front", { ...body, ...question(shown, axes), vertices: VERTICES }, asking.signal);
      if (!answer.ok && !answer.data?.vertices) {
        this.clear();
        const late = `Not even the ends of the front are known after ${LIMIT} seconds; the program takes longer: commonweal front.`;
        this.status.textContent = answer.status === 503 ? late : answer.error.message;
      } else {
        this.front = answer.data as Front;
        this.status.textContent = this.inWords(this.front) + (hasCosts ? " Rules other than the sum are left out: they would take costs for gains." : "");
        this.draw();
      }
      for (const [rule, name] of hasCosts ? [] : RULES) {
        const answer = await ask<Fair>("/api/fair", { ...body, ...inDoubles(shown.view, "1e-6"), rule }, asking.signal);
        const fair = answer.data;
        if (fair?.mix?.length) {
          // What was found before the time ran out is a compromise too, if not the fairest.
          const found = fair.status === "stopped" ? `${name}, best so far` : name;
          this.fair.push({ name: found, rule, payoffs: fair.payoffs, mix: fair.mix, weights: normalised(fair.weights) });
          this.draw();
        }
        if (!answer.ok && answer.status === 503) {
          // The next rule would take as long.
          this.status.textContent += ` The rules of fairness take more than ${LIMIT} seconds each; the program takes longer: commonweal fair.`;
          break;
        }
      }
      this.asking = null;
    } catch (error) {
      // Another front was asked for meanwhile.
      if (!asking.signal.aborted) throw error;
    }
  }

  private inWords(front: Front): string {
    const vertices = front.vertices.length === 1 ? "1 vertex" : `${front.vertices.length} vertices`;
    if (front.pattern) return `${vertices} shown of infinitely many: the pattern repeats with the ratio ${front.pattern.ratio}.`;
    if (front.complete) return `${vertices}; this is the whole front.`;
    if (front.vertices.length >= VERTICES) return `${vertices} show its shape; the rest of the front lies in the shaded triangles, if these can be seen.`;
    if (!front.reason) return `${vertices}; what lies beyond the line is within the gap.`;
    return `${vertices}, then stopped: ${front.reason}. They are on the front; the rest of it lies in the shaded triangles.`;
  }

  private draw(): void {
    if (!this.front || !this.of) return;
    this.place.classList.remove("old");
    const { shown: of, axes } = this.of;
    const { view } = of;
    const [x, y] = axes;
    const gets = (name: string) => (costs(view, name) ? `${short(name)} costs` : `${short(name)} gets`);
    const at = (payoffs: Record<string, Num>): [number, number] => [double(payoffs[x]!), double(payoffs[y]!)];
    const plan: Compromise = {
      name: "the plan",
      payoffs: view.solution.states[view.solution.start]!.payoffs,
      mix: view.strategy ? [{ probability: "1", decisions: view.strategy.decisions }] : [],
      weights: {},
    };
    const vertices = this.front.vertices.map((corner, index): Compromise => ({
      name: `vertex ${index + 1} of the front`,
      payoffs: corner.payoffs,
      mix: [{ probability: "1", decisions: corner.decisions }],
      weights: corner.weights,
      alone: this.alone(index, axes),
    }));
    // Where more may lie than was found.
    const open = this.front.edges.filter((edge) => !edge.proven).flatMap(({ from, to }) => {
      const beyond = meeting(vertices[from]!, vertices[to]!, axes);
      return beyond ? [[at(vertices[from]!.payoffs), beyond, at(vertices[to]!.payoffs)]] : [];
    });
    const all = [...[...vertices, ...this.fair, plan].map((point) => at(point.payoffs)), ...open.flat()];
    const width = Math.min(roomOf(this.place), 560);
    const chart = plane({ width, height: Math.round(width * 0.72) }, { x: range(all.map((point) => point[0])), y: range(all.map((point) => point[1])) }, {
      x: gets(x),
      y: gets(y),
      title: `What ${x} and ${y} can get`,
      description: `${vertices.length} vertices from ${x}'s best to ${y}'s best`,
    });
    const corner = ([px, py]: [number, number]) => `${chart.x(px).toFixed(1)} ${chart.y(py).toFixed(1)}`;
    for (const area of open) chart.drawing.append(svg("path", { class: "open", style: `fill:${series(0)}`, d: `M${area.map(corner).join("L")}Z` }));
    const line = (from: number, to: number) => `M${[from, to].map((index) => corner(at(vertices[index]!.payoffs))).join("L")}`;
    const isEdge = (index: number) => this.front!.edges.some(({ from, to }) => Math.min(from, to) === index && Math.max(from, to) === index + 1);
    // Where a pattern goes on there are further vertices between two that are shown, a little above this line.
    vertices.slice(1).forEach((_, index) => {
      const style = `stroke:${series(0)}${isEdge(index) ? "" : ";stroke-dasharray:2 4"}`;
      chart.drawing.append(svg("path", { class: "line", style, d: line(index, index + 1) }));
    });
    const isAt = (point: Compromise, other: Compromise) => {
      const [[px, py], [qx, qy]] = [at(point.payoffs), at(other.payoffs)];
      return Math.hypot(chart.x(px) - chart.x(qx), chart.y(py) - chart.y(qy)) < 3;
    };
    /** One mark for all points at a place: their shapes, the later ones smaller on top of the earlier ones. */
    const mark = (points: Marked[]) => {
      const [px, py] = at(points[0]!.point.payoffs);
      const name = points.map(({ point }) => point.name).join(", ");
      const chosen = this.chosen === name ? " chosen" : "";
      const told = `${name}: ${[x, y].map((one) => `${one} ${text(points[0]!.point.payoffs[one]!)}`).join(", ")}`;
      const shape = svg("g", { class: `mark${chosen}`, transform: `translate(${chart.x(px)} ${chart.y(py)})`, tabindex: -1, role: "button", "aria-label": told, "data-point": name });
      shape.append(svg("title", {}, told), ...points.map(({ d, colour }, index) => svg("path", { d, transform: `scale(${1 + 0.5 * (points.length - 1 - index)})`, style: `fill:${colour}` })));
      const pick = () => {
        this.chosen = name;
        steadily(() => this.tell(of, points.map(({ point }) => point)));
        this.draw();
      };
      shape.addEventListener("click", pick);
      shape.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        pick();
      });
      chart.drawing.append(shape);
    };
    for (const vertex of vertices) mark([{ point: vertex, d: "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z", colour: series(0) }]);
    // Rules often agree, with each other or with the plan.
    const groups: Marked[][] = [[{ point: plan, d: "M-7 0a7 7 0 1 0 14 0a7 7 0 1 0-14 0Z", colour: "var(--ink)" }]];
    this.fair.forEach((rule, index) => {
      // A rule may choose a vertex with weights at which others are as good.
      const vertex = rule.mix.length === 1 ? vertices.find((other) => isEqual(rule, other)) : undefined;
      const point = { ...rule, alone: vertex?.alone };
      const marked = { point, d: SHAPES[index % SHAPES.length]!, colour: series(index + 1) };
      const group = groups.find(([first]) => isAt(point, first!.point));
      if (group) group.push(marked);
      else groups.push([marked]);
    });
    groups.forEach(mark);
    const swatch = ({ d, colour }: Marked) => svg("svg", { width: 16, height: 16, "aria-hidden": "true" }, svg("path", { d, transform: "translate(8 8)", style: `fill:${colour}` }));
    const told = ({ point }: Marked) => (point.name === plan.name ? "the plan: greatest sum" : point.name);
    // Two that are near enough for one mark need not be the same point.
    const joined = (one: Marked, next: Marked | undefined) => (!next ? "" : isEqual(one.point, next.point) ? "," : " ≈");
    const entry = (group: Marked[]) => el("li", {}, ...group.flatMap((one, index) => [swatch(one), `${told(one)}${joined(one, group[index + 1])}`]));
    const legend = el("ul", { class: "legend" }, ...groups.map(entry));
    const focused = document.activeElement?.getAttribute("data-point");
    steadily(() => this.place.replaceChildren(chart.drawing, legend));
    rove(this.place, "[data-point]");
    if (focused) this.place.querySelector<SVGElement>(`[data-point="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }

  /** Weights for which a vertex alone is optimal: between those of the two edges at it, or of an edge and the axis that it ends at. */
  private alone(index: number, [x, y]: Axes): Record<string, string> | undefined {
    const { vertices, edges, principals } = this.front!;
    const at = edges.filter((edge) => edge.proven && (edge.from === index || edge.to === index)).map((edge) => edge.weights);
    const axis = (name: string) => Object.fromEntries(principals.map((one) => [one, one === name ? (costs(this.of!.shown.view, one) ? "-1" : "1") : "0"]));
    const best = (name: string, sign: 1 | -1) => vertices.every((other) => sign * (double(vertices[index]!.payoffs[name]!) - double(other.payoffs[name]!)) >= 0);
    const ends = [x, y].filter((name) => best(name, costs(this.of!.shown.view, name) ? -1 : 1)).map(axis);
    const around = [...at, ...ends];
    return around.length === 2 ? middle(around) : undefined;
  }

  /** Says what the compromises of a mark give whom, and how they are played. Those that are the same point are told once. */
  private tell(of: Shown, points: Compromise[]): void {
    const told: Compromise[] = [];
    for (const point of points) {
      const same = told.findIndex((other) => isEqual(other, point));
      if (same < 0) told.push(point);
      // A rule's point says how it is weighted, the plan does not.
      else told[same] = { ...(Object.keys(told[same]!.weights).length > 0 ? told[same]! : point), name: `${told[same]!.name}, ${point.name}` };
    }
    this.told.replaceChildren(...told.flatMap((point) => this.details(of, point)));
    rove(this.told, ".number");
  }

  private details({ asked, view }: Shown, point: Compromise): (Node | string)[] {
    const names = view.model.principals.map((principal) => principal.name);
    const plan = view.solution.states[view.solution.start]!.payoffs;
    const row = (name: string, number: Num) =>
      el("li", {}, `${name} ${costs(view, name) ? "costs" : "gets"} `, shown(number), " (", shownSigned(minus(number, plan[name]!)), " against the plan)");
    const start = view.solution.start;
    const mix = point.mix.map((drawn, index) => {
      const chance = point.mix.length > 1 ? [`strategy ${index + 1}, with probability `, shownFraction(drawn.probability), ": "] : [];
      const differs = index === 0 ? "" : apart(view, point.mix[0]!.decisions, drawn.decisions);
      return el("li", {}, ...chance, `in ${start} ${played(view, drawn.decisions)}${differs}`);
    });
    // Who has no weight does not count.
    const isKnown = Object.keys(point.weights).length > 0;
    const isShort = (found: Record<string, string>) => Object.values(found).every((weight) => weight.length < 40);
    const chosen = point.alone && isShort(point.alone) ? point.alone : point.weights;
    const weights = names.map((name) => [name, chosen[name] ?? "0"] as const);
    const isUsable = isKnown && isShort(chosen);
    const isTie = point.mix.length > 1;
    const listed = weights.flatMap(([name, weight], index) => [`${index > 0 ? ", " : ""}${name} `, shownFraction(weight)]);
    return [
      el("h4", {}, point.name),
      el("ul", {}, ...Object.entries(point.payoffs).map(([name, number]) => row(name, number)), ...mix),
      !isKnown ? "" : el("p", { class: "note" }, "It is optimal for the weights ", ...listed, isTie ? "; so is each of its strategies alone, and the plan for these weights is one of them." : "."),
      isUsable ? el("button", { type: "button", click: () => this.use(asked, Object.fromEntries(weights)) }, "Set the weight sliders to these") : "",
    ];
  }
}

/** What is asked of a front besides the model. */
function question({ view }: Shown, [x, y]: Axes): { x: string; y: string; gap?: string } {
  return { ...inDoubles(view, "1e-3"), x, y };
}

/** A point with the shape of its mark. */
interface Marked {
  point: Compromise;
  d: string;
  colour: string;
}

/** How the second of two strategies is told from the first, in words. */
function apart(view: View, first: Record<string, Decision[]>, second: Record<string, Decision[]>): string {
  const places = view.model.states;
  const found = places && firstDifference(first, second, places, view.solution.start);
  if (!found) return "";
  const { state, step, actions } = found;
  return `; it differs from strategy 1 first in ${state} at ${view.model.step} ${stepText(step)}: ${actions[1]} in place of ${actions[0]}`;
}

/** Whether two compromises are the same point. */
function isEqual(one: Compromise, other: Compromise): boolean {
  return Object.entries(one.payoffs).every(([name, number]) => Math.abs(double(number) - double(other.payoffs[name]!)) <= 1e-9 * Math.max(1, Math.abs(double(number))));
}

/** Whether what a principal gets is a cost. */
function costs(view: View, name: string): boolean {
  return view.model.principals.some((principal) => principal.name === name && isCost(principal));
}

/** Where the lines meet beyond which nothing lies: one through each of two points, given by the weights for which nothing is better
 * than the point. The front between the points stays within the triangle. */
function meeting(from: Compromise, to: Compromise, axes: [string, string]): [number, number] | null {
  const [[a, b, most], [c, d, limit]] = [from, to].map((point): [number, number, number] => {
    const [right, up] = axes.map((name) => value(point.weights[name] ?? "0")) as [number, number];
    return [right, up, right * double(point.payoffs[axes[0]]!) + up * double(point.payoffs[axes[1]]!)];
  }) as [[number, number, number], [number, number, number]];
  const turn = a * d - b * c;
  const place: [number, number] = [(most * d - b * limit) / turn, (a * limit - most * c) / turn];
  return place.every(Number.isFinite) ? place : null;
}
