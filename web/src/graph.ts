// The model as a graph: a card for each state with its actions, and arrows to the states that an action may lead to. The actions
// taken at the shown step are highlighted.

import { actionAt } from "./decisions";
import type { Outline, Row, View } from "./documents";
import { el, roomOf, rove, short, svg } from "./dom";
import { type Drawn, laidOut, type Layout } from "./layout";
import type { Actions } from "./palette";

const NAME = 16;
const ACTION = 18;
/** A narrower graph is drawn larger; a wider one is shrunk a little, and scrolled beyond that. */
const LARGEST = 1.4;
const SMALLEST = 0.8;

/** A probability on an arrow: the fraction where it is short, three digits otherwise. */
export function chanceText(exact: string, chance: number): string {
  return exact.length <= 5 ? exact : String(Number(chance.toPrecision(3)));
}

/** What stands on an action's pill: its name, and the chance to stay in the state if there is one. */
export function pillText(action: Row, state: number): string {
  const stays = action.to.find(([target]) => target === state);
  const name = short(action.name, ACTION);
  if (!stays) return name;
  return action.to.length === 1 ? `${name} ↺` : `${name} ↺ ${chanceText(stays[1], stays[2])}`;
}

function counted(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}

/** A line through points that leaves and arrives horizontally. */
function flow(points: { x: number; y: number }[]): string {
  const [first, ...rest] = points;
  let [d, last] = [`M${first!.x} ${first!.y}`, first!];
  for (const point of rest) {
    const middle = (last.x + point.x) / 2;
    d += `C${middle} ${last.y} ${middle} ${point.y} ${point.x} ${point.y}`;
    last = point;
  }
  return d;
}

/** An action in words. */
function inWords(model: Outline, { state, at }: Drawn): string {
  const place = model.states![state]!;
  const action = place.actions[at]!;
  const rewards = model.principals.map((principal, p) => `${principal.name} ${action.rewards[p]}`).join(", ");
  const chances = action.to.map(([target, chance]) => `${model.states![target]!.name} ${chance === "1" ? "for certain" : `with ${chance}`}`).join(", ");
  return `${place.name}, ${action.name}: rewards ${rewards}; to ${chances}`;
}

export class GraphPanel {
  private layout: Layout | null = null;
  private key = "";
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
    const chosen = names.indexOf(around ?? "");
    const centre = chosen >= 0 ? chosen : Math.max(0, names.indexOf(solution.start));
    const decided = names.map((name) => new Set((strategy.decisions[name] ?? []).map((decision) => decision.action)));
    // Where something is left out, what is drawn depends on the plan and on the chosen state.
    const key = (isPartial: boolean) => JSON.stringify([text, ...(isPartial ? [centre, strategy.decisions] : [])]);
    const isNew = !this.layout || this.key !== key(this.layout.isPartial);
    if (isNew) {
      const isPlanned = ({ state, at }: Drawn) => decided[state]!.has(model.states![state]!.actions[at]!.name);
      this.layout = laidOut(model, centre, isPlanned);
      this.key = key(this.layout.isPartial);
    }
    const { states, pills, arrows, width, height, leftOut } = this.layout!;
    const scale = Math.max(SMALLEST, Math.min(LARGEST, roomOf(this.place) / width));
    const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, width: width * scale, height: height * scale, role: "group", class: "graph", "aria-label": `Graph of ${names.length} states` });
    const head = (id: string) => svg("marker", { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 10, markerHeight: 10, markerUnits: "userSpaceOnUse", orient: "auto" }, svg("path", { class: id, d: "M0 0.8L8 4L0 7.2Z" }));
    drawing.append(svg("defs", {}, head("arrow"), head("arrow-taken")));
    const takenIn = (state: number) => actionAt(strategy.decisions[names[state]!] ?? [], step);
    const isTaken = ({ state, at }: Drawn) => model.states![state]!.actions[at]!.name === takenIn(state);
    const action = ({ state, at }: Drawn) => model.states![state]!.actions[at]!;
    for (const [state, box] of states) {
      const name = names[state]!;
      const isStart = name === solution.start;
      const taken = takenIn(state);
      const told = `State ${name}${isStart ? ", the start" : ""}${taken ? `, at ${model.step} ${step}: ${taken}` : ""}`;
      const group = svg("g", { class: `state${isStart ? " start" : ""}${state === chosen ? " chosen" : ""}`, tabindex: -1, role: "button", "data-state": name, "aria-label": told });
      group.append(svg("title", {}, isStart ? `${name}: the start` : name));
      group.append(svg("rect", { class: "card-of", x: box.x, y: box.y, width: box.width, height: box.height, rx: 8 }));
      group.append(svg("text", { class: "name", x: box.x + box.width / 2, y: box.y + 19, "text-anchor": "middle" }, short(name, NAME)));
      if (box.more > 0) group.append(svg("text", { class: "more", x: box.x + box.width / 2, y: box.y + box.height - 7, "text-anchor": "middle" }, `${box.more} more`));
      group.addEventListener("click", () => this.choose(name));
      group.addEventListener("keydown", (event) => {
        if (event.key === "Enter") this.choose(name);
      });
      // The arrows of a state that is pointed at, or has the focus, stand out.
      const near = (isNear: boolean) => () => drawing.querySelectorAll(`[data-of="${state}"]`).forEach((arrow) => arrow.classList.toggle("near", isNear));
      for (const event of ["pointerenter", "focus"]) group.addEventListener(event, near(true));
      for (const event of ["pointerleave", "blur"]) group.addEventListener(event, near(false));
      drawing.append(group);
    }
    // What is taken lies above the rest.
    const ordered = [...arrows].sort((a, b) => Number(isTaken(a)) - Number(isTaken(b)));
    for (const arrow of ordered) {
      const taken = isTaken(arrow);
      drawing.append(svg("path", { class: taken ? "edge taken" : "edge", d: flow(arrow.points), "data-of": arrow.state, "marker-end": `url(#${taken ? "arrow-taken" : "arrow"})` }));
    }
    for (const pill of pills) {
      const { x, y, width, height } = pill;
      const [taken, longTerm] = [isTaken(pill), action(pill).is_long_term];
      const told = `${inWords(model, pill)}${taken ? `; taken at ${model.step} ${step}` : ""}${longTerm ? "; a long-term action" : ""}`;
      const group = svg("g", { class: `action${taken ? " taken" : ""}${longTerm ? " long-term" : ""}`, role: "img", "aria-label": told });
      group.append(svg("title", {}, told));
      const fill = taken ? { style: `fill:${actions.colour(action(pill).name)}` } : {};
      group.append(svg("rect", { x, y, width, height, rx: height / 2, ...fill }));
      if (longTerm) group.append(svg("rect", { class: "ring", x: x + 2.5, y: y + 2.5, width: width - 5, height: height - 5, rx: height / 2 - 2.5 }));
      group.append(svg("text", { x: x + width / 2, y: y + height / 2 + 4, "text-anchor": "middle" }, pillText(action(pill), pill.state)));
      group.addEventListener("click", () => this.choose(names[pill.state]!));
      drawing.append(group);
    }
    for (const arrow of ordered) {
      if (action(arrow).to.length < 2) continue;
      const [start] = arrow.points;
      drawing.append(svg("circle", { class: "chance", cx: start!.x, cy: start!.y, r: 4 }));
      if (!arrow.label) continue;
      const { x, y, width, height } = arrow.label;
      drawing.append(svg("rect", { class: "under", x: x - width / 2, y: y - height / 2, width, height }));
      drawing.append(svg("text", { class: `probability${isTaken(arrow) ? " taken" : ""}`, x, y: y + 4, "text-anchor": "middle" }, arrow.text));
    }
    this.token = svg("circle", { class: "token", r: 9, style: "display:none" });
    drawing.append(this.token);
    const notes: string[] = [];
    if (states.size < names.length) notes.push(`${states.size} of ${names.length} states, around ${names[centre]}. Choose another one to look around it.`);
    const missing = [leftOut.actions > 0 && counted(leftOut.actions, "action"), leftOut.arrows > 0 && counted(leftOut.arrows, "arrow")].filter(Boolean).join(" and ");
    if (missing) notes.push(`Left out: ${missing}. First come those of the plan and of ${names[centre]}, then of the long term; choose a state to see all of its own.`);
    const focused = document.activeElement?.closest("#graph .state")?.getAttribute("data-state");
    const before = this.place.querySelector(".scroll");
    const scrolled = isNew || !before ? null : before.scrollLeft;
    const scroll = el("div", { class: "scroll" }, drawing);
    this.place.replaceChildren(scroll, el("p", { class: "note" }, notes.join(" ")));
    rove(this.place, ".state");
    // A state that was chosen by the keyboard keeps the focus in the new drawing.
    if (focused) this.place.querySelector<SVGElement>(`[data-state="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
    // A graph that is wider than its place is shown where the chosen state is.
    const box = states.get(centre)!;
    scroll.scrollLeft = scrolled ?? (box.x + box.width / 2) * scale - scroll.clientWidth / 2;
  }

  /** Whether a part of the model is drawn, around a state that can be chosen. */
  get isPartial(): boolean {
    return this.layout?.isPartial ?? false;
  }

  /** Moves the mark of a run to a state, or hides it where that is not drawn. */
  mark(state: number | null): void {
    const box = state === null ? undefined : this.layout?.states.get(state);
    if (!this.token) return;
    this.token.style.display = box ? "" : "none";
    if (box) this.token.style.transform = `translate(${box.x + 4}px, ${box.y + 4}px)`;
  }
}
