// Where the cards, arrows and labels of a graph stand. Room is kept for every label, so that none lies on another or on a card.

import { Graph, layout } from "@dagrejs/dagre";
import type { Outline } from "./documents";
import { short, textWidth } from "./dom";
import { chanceText, pillText } from "./graph";

/** A larger model, by states or by arrows, is shown around one of its states: nobody could follow more. */
const WHOLE = 40;
const MOST_ACTIONS = 70;
const MOST_ARROWS = 60;
/** How many states are shown around one, and how many arrows. */
const AROUND = 10;
const ARROWS_AROUND = 24;

const HEAD = 28;
const PILL = 22;
const GAP = 6;
const SIDE = 10;
const LABEL = 11;

/** An action of a state. */
export interface Drawn {
  state: number;
  at: number;
}

interface Point {
  x: number;
  y: number;
}

interface Box extends Point {
  width: number;
  height: number;
}

export interface Layout {
  /** The states that are drawn, by their index; `more` actions of each are not. */
  states: Map<number, Box & { more: number }>;
  pills: (Drawn & Box)[];
  arrows: (Drawn & { target: number; points: Point[]; label: Box | null; text: string })[];
  /** How many actions and arrows of the states that are drawn are left out. */
  leftOut: { actions: number; arrows: number };
  /** Whether not all of the model is drawn. */
  isPartial: boolean;
  width: number;
  height: number;
}

interface Kept extends Drawn {
  targets: [number, string, number][];
}

/** The arrows of an action: a way to stay stands on the action itself. */
function arrowsOf(model: Outline, { state, at }: Drawn): Kept["targets"] {
  return model.states![state]!.actions[at]!.to.filter(([target]) => target !== state);
}

function actionsOf(model: Outline, states: number[]): Drawn[] {
  return states.flatMap((state) => model.states![state]!.actions.map((_, at): Drawn => ({ state, at })));
}

/** Whether all of a model can be drawn. */
function isSmall(model: Outline): boolean {
  if (model.states!.length > WHOLE) return false;
  const all = actionsOf(model, model.states!.map((_, at) => at));
  return all.length <= MOST_ACTIONS && all.reduce((sum, one) => sum + arrowsOf(model, one).length, 0) <= MOST_ARROWS;
}

/** At most `most` states near one of them, which is the first: where the plan leads, then where the other actions lead, then whence
 * it is reached. */
function near(model: Outline, around: number, most: number, isPlanned: (one: Drawn) => boolean): number[] {
  const states = model.states!;
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
  while (queue.length > 0 && found.size < most) {
    const state = queue.shift()!;
    const own = actionsOf(model, [state]);
    const after = [...own.filter(isPlanned), ...own.filter((one) => !isPlanned(one))].flatMap((one) => arrowsOf(model, one).map(([target]) => target));
    for (const next of [...after, ...(before.get(state) ?? [])]) {
      if (found.has(next) || found.size >= most) continue;
      found.add(next);
      queue.push(next);
    }
  }
  return [...found];
}

/** The actions and arrows that are drawn around a state: first those of the plan and all of the state itself, then those of the long
 * term, then the others as listed, as long as there is room. */
function chosen(model: Outline, drawn: number[], centre: number, isPlanned: (one: Drawn) => boolean): Kept[] {
  const isDrawn = new Set(drawn);
  const action = ({ state, at }: Drawn) => model.states![state]!.actions[at]!;
  const rank = (one: Drawn) => (isPlanned(one) || one.state === centre ? 0 : action(one).is_long_term ? 1 : 2);
  const found: Kept[] = [];
  const ranked = actionsOf(model, drawn).map((one) => ({ one, place: rank(one), inside: arrowsOf(model, one).filter(([target]) => isDrawn.has(target)) }));
  // What is drawn in any case shares the arrows evenly, the most probable ones of each.
  const wanted = ranked.filter(({ place }) => place === 0);
  const isMany = wanted.reduce((sum, { inside }) => sum + inside.length, 0) > MOST_ARROWS;
  const share = isMany ? Math.max(1, Math.floor(MOST_ARROWS / wanted.length)) : Infinity;
  let free = ARROWS_AROUND;
  for (const { one, place, inside } of ranked.sort((a, b) => a.place - b.place)) {
    if (place > 0 && (found.length >= MOST_ACTIONS || free < inside.length)) continue;
    const targets = [...inside].sort((a, b) => b[2] - a[2]).slice(0, share);
    free -= targets.length;
    found.push({ ...one, targets });
  }
  return found.sort((a, b) => a.state - b.state || a.at - b.at);
}

const labelSize = (text: string) => ({ width: textWidth(text, LABEL) + 8, height: 15 });

export function laidOut(model: Outline, centre: number, isPlanned: (one: Drawn) => boolean): Layout {
  const isWhole = isSmall(model);
  // Arrows lead to the right from the state that comes first, as far as there is no way back.
  const start = model.states!.findIndex((state) => state.name === model.start);
  const met = isWhole ? near(model, start, WHOLE, isPlanned) : near(model, centre, AROUND, isPlanned);
  const drawn = isWhole ? [...met, ...model.states!.map((_, at) => at).filter((state) => !met.includes(state))] : met;
  const all = actionsOf(model, drawn);
  const actions = isWhole ? all.map((one): Kept => ({ ...one, targets: arrowsOf(model, one) })) : chosen(model, drawn, centre, isPlanned);
  const sum = (list: { targets: unknown[] }[]) => list.reduce((sum, one) => sum + one.targets.length, 0);
  const arrowsInAll = sum(all.map((one) => ({ targets: arrowsOf(model, one) })));
  const leftOut = { actions: all.length - actions.length, arrows: arrowsInAll - sum(actions) };
  const action = ({ state, at }: Drawn) => model.states![state]!.actions[at]!;
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: 22, ranksep: 76, edgesep: 10, marginx: 16, marginy: 16 });
  const listed = new Map(drawn.map((state) => [state, actions.filter((one) => one.state === state)]));
  const more = (state: number) => model.states![state]!.actions.length - listed.get(state)!.length;
  // Names that are numbers would be sorted, and the first state would not be the first.
  for (const [state, rows] of listed) {
    const widths = rows.map((one) => textWidth(pillText(action(one), state), 13) + 24);
    const name = textWidth(short(model.states![state]!.name, 16), 14) + 12;
    const width = Math.max(52, name, ...widths) + 2 * SIDE;
    graph.setNode(`s${state}`, { width, height: HEAD + rows.length * (PILL + GAP) + (more(state) > 0 ? 16 : 0) + 4 });
  }
  for (const one of actions) {
    for (const [target, exact, chance] of one.targets) {
      const text = action(one).to.length > 1 ? chanceText(exact, chance) : "";
      const size = text ? { ...labelSize(text), labelpos: "c" } : {};
      graph.setEdge(`s${one.state}`, `s${target}`, { ...size, weight: isPlanned(one) ? 8 : 1 }, `${one.at}`);
    }
  }
  layout(graph);
  const states = new Map<number, Box & { more: number }>();
  for (const state of drawn) {
    const { x, y, width, height } = graph.node(`s${state}`) as Box;
    states.set(state, { x: x - width / 2, y: y - height / 2, width, height, more: more(state) });
  }
  const pills = actions.map((one) => {
    const box = states.get(one.state)!;
    const at = listed.get(one.state)!.findIndex((other) => other.at === one.at);
    return { state: one.state, at: one.at, x: box.x + SIDE, y: box.y + HEAD + at * (PILL + GAP), width: box.width - 2 * SIDE, height: PILL };
  });
  const pillOf = new Map(pills.map((pill) => [`${pill.state}.${pill.at}`, pill]));
  const arrows = graph.edges().map(({ v, w, name }) => {
    const [state, target, at] = [Number(v.slice(1)), Number(w.slice(1)), Number(name)];
    const placed = graph.edge(v, w, name) as { points: Point[]; x?: number; y?: number };
    const [from, to] = [states.get(state)!, states.get(target)!];
    const pill = pillOf.get(`${state}.${at}`)!;
    const isForward = to.x > from.x;
    const start = { x: isForward ? pill.x + pill.width : pill.x, y: pill.y + PILL / 2 };
    // It leaves the card straight, so that it is seen whose it is.
    const edge = { x: isForward ? from.x + from.width + 4 : from.x - 4, y: start.y };
    const end = { x: isForward ? to.x : to.x + to.width, y: 0 };
    const [exact, chance] = action({ state, at }).to.find(([other]) => other === target)!.slice(1) as [string, number];
    const text = action({ state, at }).to.length > 1 ? chanceText(exact, chance) : "";
    const label = text && placed.x !== undefined && placed.y !== undefined ? { ...labelSize(text), x: placed.x, y: placed.y } : null;
    // Between neighbours nothing is in the way but the label.
    const between = placed.points.slice(1, -1);
    return { state, at, target, points: [start, edge, ...(between.length === 1 && !label ? [] : between), end], label, text };
  });
  // The arrows that arrive at one side of a card are spread over it, in the order in which they come.
  const sides = new Map<string, typeof arrows>();
  for (const arrow of arrows) {
    const side = `${arrow.target} ${arrow.points.at(-1)!.x}`;
    sides.set(side, [...(sides.get(side) ?? []), arrow]);
  }
  for (const side of sides.values()) {
    const box = states.get(side[0]!.target)!;
    side.sort((a, b) => a.points.at(-2)!.y - b.points.at(-2)!.y);
    const room = Math.min(box.height - 16, 14 * side.length);
    side.forEach((arrow, at) => {
      arrow.points.at(-1)!.y = box.y + box.height / 2 + room * ((at + 0.5) / side.length - 0.5);
    });
  }
  const { width = 200, height = 100 } = graph.graph() as { width?: number; height?: number };
  return { states, pills, arrows, leftOut, isPartial: !isWhole, width, height };
}
