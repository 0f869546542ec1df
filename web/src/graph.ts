// The model as a graph: states, their actions, their successors. The actions taken at the shown step are highlighted.

import { Graph, layout } from "@dagrejs/dagre";
import type { Decision, Outline, View } from "./documents";
import { el, roomOf, rove, short, svg, textWidth } from "./dom";
import { stepNumber } from "./numbers";
import type { Actions } from "./palette";

/** A larger model is shown around one of its states. */
const WHOLE = 40;
const AROUND = 24;
/** Of a dense model, more actions and arrows are not drawn: nobody could follow them. */
const MOST_ACTIONS = 120;
const MOST_ARROWS = 240;

interface Placed {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Layout {
  key: string;
  /** The states that are drawn, by their index. */
  states: Map<number, Placed>;
  actions: Map<string, Placed>;
  /** How many actions and arrows of the states that are drawn are left out. */
  leftOut: { actions: number; arrows: number };
  edges: { from: string; to: string; points: { x: number; y: number }[] }[];
  width: number;
  height: number;
}

/** The states near one of them, as many as can be drawn. */
function near(model: Outline, around: number): number[] {
  const states = model.states!;
  if (states.length <= WHOLE) return states.map((_, at) => at);
  const before = new Map<number, number[]>();
  states.forEach((state, at) =>
    state.actions.forEach((action) =>
      action.to.forEach(([target]) => {
        if (!before.has(target)) before.set(target, []);
        before.get(target)!.push(at);
      }),
    ),
  );
  const found = new Set([around]);
  const queue = [around];
  while (queue.length > 0 && found.size < AROUND) {
    const state = queue.shift()!;
    const after = states[state]!.actions.flatMap((action) => action.to.map(([target]) => target));
    for (const next of [...after, ...(before.get(state) ?? [])]) {
      if (found.has(next) || found.size >= AROUND) continue;
      found.add(next);
      queue.push(next);
    }
  }
  return [...found].sort((a, b) => a - b);
}

interface Drawn {
  state: number;
  at: number;
}

/** The actions and arrows of these states that are drawn: all, or those of the plan, then of the long term, then the others as listed;
 * and the most probable arrows of each. */
function chosen(model: Outline, drawn: number[], isPlanned: (one: Drawn) => boolean) {
  const isDrawn = new Set(drawn);
  const all = drawn.flatMap((state) => model.states![state]!.actions.map((_, at): Drawn => ({ state, at })));
  const action = ({ state, at }: Drawn) => model.states![state]!.actions[at]!;
  const rank = (one: Drawn) => (isPlanned(one) ? 0 : action(one).is_long_term ? 1 : 2);
  const actions = all.length <= MOST_ACTIONS ? all : all.map((one) => ({ one, rank: rank(one) })).sort((a, b) => a.rank - b.rank).slice(0, MOST_ACTIONS).map(({ one }) => one);
  const arrows = all.reduce((sum, one) => sum + action(one).to.filter(([target]) => isDrawn.has(target)).length, 0);
  const each = Math.max(1, Math.floor(MOST_ARROWS / Math.max(1, actions.length)));
  const targets = (one: Drawn) => {
    const inside = action(one).to.filter(([target]) => isDrawn.has(target));
    return (arrows <= MOST_ARROWS ? inside : [...inside].sort((a, b) => b[2] - a[2]).slice(0, each)).map(([target]) => target);
  };
  const kept = actions.map((one) => ({ ...one, targets: targets(one) }));
  return { actions: kept, leftOut: { actions: all.length - kept.length, arrows: arrows - kept.reduce((sum, one) => sum + one.targets.length, 0) } };
}

function laidOut(model: Outline, around: number, key: string, isPlanned: (one: Drawn) => boolean): Layout {
  const drawn = near(model, around);
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: 18, ranksep: 34, edgesep: 12, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const state of drawn) {
    const name = short(model.states![state]!.name, 16);
    graph.setNode(`s${state}`, { width: Math.max(40, textWidth(name, 14) + 20), height: 34 });
  }
  const { actions: kept, leftOut } = chosen(model, drawn, isPlanned);
  for (const { state, at, targets } of kept) {
    const id = `a${state}.${at}`;
    graph.setNode(id, { width: textWidth(short(model.states![state]!.actions[at]!.name, 14), 12) + 16, height: 22 });
    graph.setEdge(`s${state}`, id);
    for (const target of targets) graph.setEdge(id, `s${target}`, {}, String(target));
  }
  layout(graph);
  const states = new Map<number, Placed>();
  const actions = new Map<string, Placed>();
  for (const id of graph.nodes()) {
    const placed = graph.node(id) as Placed;
    if (id.startsWith("s")) states.set(Number(id.slice(1)), placed);
    else actions.set(id, placed);
  }
  const edges = graph.edges().map((edge) => ({ from: edge.v, to: edge.w, points: (graph.edge(edge) as { points: { x: number; y: number }[] }).points }));
  const size = graph.graph() as { width?: number; height?: number };
  return { key, states, actions, leftOut, edges, width: size.width ?? 200, height: size.height ?? 100 };
}

/** A smooth line through points. */
function smooth(points: { x: number; y: number }[]): string {
  const [first, ...rest] = points;
  if (!first) return "";
  let d = `M${first.x} ${first.y}`;
  for (let at = 0; at < rest.length; at++) {
    const [point, next] = [rest[at]!, rest[at + 1]];
    if (!next) d += `L${point.x} ${point.y}`;
    else d += `Q${point.x} ${point.y} ${(point.x + next.x) / 2} ${(point.y + next.y) / 2}`;
  }
  return d;
}

/** What a state's decisions are at a step. */
export function actionAt(decisions: Decision[], step: number): string | null {
  return decisions.findLast((decision) => stepNumber(decision.from) <= step)?.action ?? null;
}

function counted(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}

export class GraphPanel {
  private layout: Layout | null = null;
  private token: SVGCircleElement | null = null;

  constructor(
    private readonly place: HTMLElement,
    private readonly choose: (state: string) => void,
  ) {}

  draw(view: View, actions: Actions, step: number, around: string | null, text: string): void {
    const { model, solution, strategy } = view;
    if (!model.states || !strategy) {
      this.place.replaceChildren(el("p", { class: "note" }, `The model has ${model.n_states} states, ${model.n_choices} actions and ${model.n_transitions} transitions: too many to draw.`));
      return;
    }
    const names = model.states.map((state) => state.name);
    const centre = Math.max(0, names.indexOf(around ?? model.start));
    const decided = (state: number) => new Set((strategy.decisions[names[state]!] ?? []).map((decision) => decision.action));
    const isPlanned = ({ state, at }: Drawn) => decided(state).has(model.states![state]!.actions[at]!.name);
    const place = [text, model.states.length > WHOLE ? centre : 0];
    // Where something is left out, what is drawn depends on the plan.
    const key = (isPartial: boolean) => JSON.stringify([...place, isPartial ? strategy.decisions : null]);
    const isOld = !this.layout || this.layout.key !== key(this.layout.leftOut.actions > 0);
    if (isOld) {
      this.layout = laidOut(model, centre, "", isPlanned);
      this.layout.key = key(this.layout.leftOut.actions > 0);
    }
    const { states, actions: places, edges, width, height, leftOut } = this.layout!;
    // A small graph is drawn larger, a large one is scrolled.
    const scale = Math.max(1, Math.min(1.5, roomOf(this.place) / width));
    const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, width: width * scale, height: height * scale, role: "group", class: "graph", "aria-label": `Graph of ${names.length} states` });
    drawing.append(
      svg("defs", {}, svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, svg("path", { class: "arrow", d: "M0 0.8L8 4L0 7.2Z" }))),
    );
    const takenIn = (state: number) => actionAt(strategy.decisions[names[state]!] ?? [], step);
    const isTaken = (id: string) => {
      const [state, at] = id.slice(1).split(".").map(Number) as [number, number];
      return model.states![state]!.actions[at]!.name === takenIn(state);
    };
    for (const edge of edges) {
      const action = edge.from.startsWith("a") ? edge.from : edge.to;
      const into = edge.from.startsWith("a");
      drawing.append(svg("path", { class: isTaken(action) ? "edge taken" : "edge", d: smooth(edge.points), ...(into ? { "marker-end": "url(#arrow)" } : {}) }));
    }
    for (const [id, placed] of places) {
      const [state, at] = id.slice(1).split(".").map(Number) as [number, number];
      const action = model.states[state]!.actions[at]!;
      const taken = isTaken(id);
      const longTerm = action.is_long_term;
      const rewards = model.principals.map((principal, p) => `${principal.name} ${action.rewards[p]}`).join(", ");
      const chances = action.to.map(([target, chance]) => `${names[target]} ${chance === "1" ? "for certain" : `with ${chance}`}`).join(", ");
      const told = `${names[state]}, ${action.name}: rewards ${rewards}; to ${chances}${taken ? `; taken at step ${step}` : ""}${longTerm ? "; a long-term action" : ""}`;
      const group = svg("g", { class: `action${taken ? " taken" : ""}${longTerm ? " long-term" : ""}`, role: "img", "aria-label": told });
      group.append(svg("title", {}, told));
      if (longTerm) group.append(svg("rect", { class: "ring", x: placed.x - placed.width / 2 - 3, y: placed.y - 14, width: placed.width + 6, height: 28, rx: 14 }));
      const fill = taken ? { style: `fill:${actions.colour(action.name)}` } : {};
      group.append(svg("rect", { x: placed.x - placed.width / 2, y: placed.y - 11, width: placed.width, height: 22, rx: 11, ...fill }));
      group.append(svg("text", { x: placed.x, y: placed.y + 4, "text-anchor": "middle" }, short(action.name, 14)));
      if (action.to.length > 1) group.append(svg("circle", { class: "chance", cx: placed.x + placed.width / 2, cy: placed.y, r: 4 }));
      drawing.append(group);
    }
    for (const edge of edges) {
      if (!edge.from.startsWith("a")) continue;
      const [state, at] = edge.from.slice(1).split(".").map(Number) as [number, number];
      const action = model.states[state]!.actions[at]!;
      const chance = action.to.find(([target]) => `s${target}` === edge.to)?.[1];
      const middle = edge.points[Math.floor(edge.points.length / 2)];
      if (action.to.length < 2 || !chance || !middle) continue;
      drawing.append(svg("text", { class: "probability", x: middle.x, y: middle.y - 3, "text-anchor": "middle" }, short(chance, 8)));
    }
    for (const [state, placed] of states) {
      const name = names[state]!;
      const chosen = state === centre && model.states.length > WHOLE;
      const taken = takenIn(state);
      const group = svg("g", { class: `state${name === solution.start ? " start" : ""}${chosen ? " chosen" : ""}`, tabindex: -1, role: "button", "data-state": name, "aria-label": `State ${name}${name === solution.start ? ", the start" : ""}${taken ? `, at step ${step}: ${taken}` : ""}` });
      group.append(svg("title", {}, name === solution.start ? `${name}: the start` : name));
      group.append(svg("rect", { x: placed.x - placed.width / 2, y: placed.y - 17, width: placed.width, height: 34, rx: 6 }));
      group.append(svg("text", { x: placed.x, y: placed.y + 5, "text-anchor": "middle" }, short(name, 16)));
      group.addEventListener("click", () => this.choose(name));
      group.addEventListener("keydown", (event) => {
        if (event.key === "Enter") this.choose(name);
      });
      drawing.append(group);
    }
    this.token = svg("circle", { class: "token", r: 9, style: "display:none" });
    drawing.append(this.token);
    const notes: string[] = [];
    if (names.length > WHOLE) notes.push(`${states.size} of ${names.length} states, around ${names[centre]}. Choose another one to look around it.`);
    const missing = [leftOut.actions > 0 && counted(leftOut.actions, "action"), leftOut.arrows > 0 && counted(leftOut.arrows, "arrow")].filter(Boolean).join(" and ");
    if (missing) notes.push(`Left out: ${missing}. The actions of the plan and of the long term come first, and of each the most probable arrows.`);
    const focused = document.activeElement?.closest("#graph .state")?.getAttribute("data-state");
    this.place.replaceChildren(el("div", { class: "scroll" }, drawing), el("p", { class: "note" }, notes.join(" ")));
    rove(this.place, ".state");
    // A state that was chosen by the keyboard keeps the focus in the new drawing.
    if (focused) this.place.querySelector<SVGElement>(`[data-state="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }

  /** Moves the mark of a run to a state, or hides it where that is not drawn. */
  mark(state: number | null): void {
    const placed = state === null ? undefined : this.layout?.states.get(state);
    if (!this.token) return;
    this.token.style.display = placed ? "" : "none";
    if (placed) this.token.style.transform = `translate(${placed.x}px, ${placed.y - 17}px)`;
  }
}
