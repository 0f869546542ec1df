// Which strategy is best over two discounts: first coarsely, then finer; a click sets the sliders.

import { ask } from "./api";
import type { StrategyMap } from "./documents";
import { el, roomOf, short, svg } from "./dom";
import { decimal, value } from "./numbers";
import { REST, shade } from "./palette";
import { plane } from "./plane";
import { question, type State } from "./state";

/** First the best strategy in the middle of each cell, twice; then boundaries that are located. What takes longer than `quick`, in
 * milliseconds, is the last. */
const STAGES = [
  { path: "/api/sketch", resolution: 12, time_limit: 10, quick: 2000, told: "12 × 12 cells" },
  { path: "/api/sketch", resolution: 40, time_limit: 20, quick: 500, told: "40 × 40 cells" },
  { path: "/api/map", resolution: 8, time_limit: 25, quick: 0, told: "Boundaries pass through points that are located by exact solutions" },
];
/** Half a cell beyond the greatest discount of the map. */
const END = 0.99;
const within = (discount: number) => Math.max(0, Math.min(END, Math.round(discount * 200) / 200));

/** The two discounts, where there are single ones. */
type Own = [string | null, string | null];

/** Where the letter of a region stands. */
interface Letter {
  at: number;
  x: number;
  y: number;
}

/** The place of each region that is farthest from all others, on a grid; none for a region in which a letter has no room. */
function letters(map: StrategyMap): Letter[] {
  const N = 40;
  const ROOM = 1.5;
  const middle = (at: number) => ((at + 0.5) / N) * END;
  const owner: (number | null)[] = Array.from({ length: N * N }, (_, cell) => {
    const [x, y] = [middle(cell % N), middle(Math.floor(cell / N))];
    const found = map.drawn.findIndex((region) => isInside(region.outline, x, y));
    return found < 0 ? null : found;
  });
  const at = (column: number, row: number) => (column < 0 || row < 0 || column >= N || row >= N ? null : owner[row * N + column]);
  // How far the nearest cell of another region is, by a square that grows.
  const room = (column: number, row: number) => {
    const own = at(column, row);
    for (let size = 1; size < N; size++) {
      for (let along = -size; along <= size; along++) {
        const sides = [at(column + along, row - size), at(column + along, row + size), at(column - size, row + along), at(column + size, row + along)];
        if (sides.some((other) => other !== own)) return size;
      }
    }
    return N;
  };
  const best = new Map<number, { room: number; x: number; y: number }>();
  owner.forEach((region, cell) => {
    if (region === null || !map.drawn[region]!.name) return;
    const free = room(cell % N, Math.floor(cell / N));
    if (free > ROOM && free > (best.get(region)?.room ?? 0)) best.set(region, { room: free, x: middle(cell % N), y: middle(Math.floor(cell / N)) });
  });
  return [...best].map(([at, { x, y }]) => ({ at, x, y }));
}

/** Whether a point lies inside closed polygons, by the even-odd rule. */
function isInside(rings: [number, number][][], x: number, y: number): boolean {
  let inside = false;
  for (const ring of rings) {
    ring.forEach(([ax, ay], at) => {
      const [bx, by] = ring[(at + 1) % ring.length]!;
      if (ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) inside = !inside;
    });
  }
  return inside;
}

export class MapPanel {
  private key = "";
  private map: StrategyMap | null = null;
  private asking: AbortController | null = null;
  /** Where the sliders are. */
  private own: Own = [null, null];
  private lettered: { map: StrategyMap; letters: Letter[] } | null = null;
  /** The two discounts at a place of the drawing. */
  private at: ((event: MouseEvent) => [number, number]) | null = null;

  constructor(
    private readonly place: HTMLElement,
    private readonly status: HTMLElement,
    private readonly set: (x: number, y: number) => void,
  ) {
    // A finer map may replace the drawing between press and release, and then there is no click: the panel hears the two itself.
    let pressed: PointerEvent | null = null;
    place.addEventListener("pointerdown", (event) => (pressed = event.isPrimary && event.button === 0 ? event : null));
    place.addEventListener("pointerup", (event) => {
      const isClick = pressed !== null && Math.hypot(event.clientX - pressed.clientX, event.clientY - pressed.clientY) < 6;
      pressed = null;
      const [x, y] = (isClick && this.at?.(event)) || [NaN, NaN];
      if (x >= -0.01 && x <= 1 && y >= -0.01 && y <= 1) this.set(within(x), within(y));
    });
  }

  /** Shows the map of this state, and asks for it if it is another one than before. */
  async show(state: State, axes: [string, string], own: Own): Promise<void> {
    const others = Object.entries(state.discounts).filter(([name]) => !axes.includes(name));
    const key = JSON.stringify([state.model, state.weights, others, axes]);
    if (key === this.key) {
      this.draw(axes, own);
      return;
    }
    this.key = key;
    this.map = null;
    this.own = own;
    this.asking?.abort();
    const asking = new AbortController();
    this.asking = asking;
    this.status.textContent = "Computing the map …";
    try {
      for (const [at, { path, resolution, time_limit, quick, told }] of STAGES.entries()) {
        const began = performance.now();
        const body = { ...question(state), discounts: Object.fromEntries(others), x: axes[0], y: axes[1], resolution, time_limit };
        const answer = await ask<StrategyMap>(path, body, asking.signal);
        if (!answer.ok) {
          // A sketch stays until a whole map is there.
          if (!this.map) this.place.replaceChildren();
          this.status.textContent = this.map ? `${STAGES[at - 1]!.told}; finer takes too long here.` : `${answer.error.message}${answer.error.help ? `; ${answer.error.help}` : ""}`;
          return;
        }
        this.map = answer.data;
        this.draw(axes, this.own);
        const isLast = at === STAGES.length - 1 || performance.now() - began > quick;
        this.status.textContent = isLast ? `${told}.` : `${told}; refining …`;
        if (isLast) return;
      }
    } catch (error) {
      // Another map was asked for meanwhile.
      if (!asking.signal.aborted) throw error;
    }
  }

  /** Where the letters of a map stand: once for each map, as a slider draws it at every move. */
  private letters(map: StrategyMap): Letter[] {
    if (this.lettered?.map !== map) this.lettered = { map, letters: letters(map) };
    return this.lettered.letters;
  }

  /** Draws what is known, with a mark where the sliders are. */
  draw(axes: [string, string], own: Own): void {
    this.own = own;
    if (!this.map) return;
    const regions = this.map.drawn;
    const width = Math.min(roomOf(this.place), 520);
    const chart = plane({ width, height: Math.round(width * 0.92) }, { x: [0, 1], y: [0, 1] }, {
      x: `discount of ${short(axes[0])}`,
      y: `discount of ${short(axes[1])}`,
      title: `Best strategy by the discounts of ${axes[0]} and ${axes[1]}`,
      description: regions.map((region) => `${region.name} ${region.words}`).join("; "),
    });
    const coloured = regions.filter((region) => !region.is_rest).length;
    let next = 0;
    const colours = regions.map((region) => (region.is_rest ? REST : shade(next++, coloured)));
    const shapes = svg("g", {});
    regions.forEach((region, at) => {
      const rings = region.outline.map((ring) => `M${ring.map(([x, y]) => `${chart.x(x).toFixed(1)} ${chart.y(y).toFixed(1)}`).join("L")}Z`);
      const shape = svg("path", { d: rings.join(""), "fill-rule": "evenodd", style: `fill:${colours[at]};stroke:${colours[at]};stroke-width:.7` });
      shape.append(svg("title", {}, `${region.name ? `${region.name}: ` : ""}${region.words}`));
      shapes.append(shape);
    });
    chart.drawing.append(shapes);
    for (const { at, x, y } of this.letters(this.map)) {
      chart.drawing.append(svg("text", { class: "letter", x: chart.x(x), y: chart.y(y) + 5, "text-anchor": "middle", "aria-hidden": "true" }, regions[at]!.name));
    }
    chart.drawing.append(svg("path", { class: "axis", "stroke-dasharray": "4 4", d: `M${chart.x(0)} ${chart.y(0)}L${chart.x(1)} ${chart.y(1)}` }));
    const [x, y] = own.map((discount) => value(discount ?? "0.5")) as [number, number];
    if (own[0] !== null && own[1] !== null) chart.drawing.append(svg("circle", { class: "dot", cx: chart.x(x), cy: chart.y(y), r: 6 }));
    chart.drawing.classList.add("pick");
    chart.drawing.setAttribute("tabindex", "0");
    chart.drawing.setAttribute("role", "application");
    chart.drawing.setAttribute("aria-label", `Map of the best strategy; ${axes[0]} ${decimal(x)}, ${axes[1]} ${decimal(y)}. Arrow keys move the discounts.`);
    this.at = chart.at;
    chart.drawing.addEventListener("keydown", (event) => {
      const moves: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
      const move = moves[event.key];
      if (!move) return;
      event.preventDefault();
      this.set(within(x + move[0] * 0.01), within(y + move[1] * 0.01));
    });
    const entry = (at: number) =>
      el("li", {}, svg("svg", { width: 14, height: 14, "aria-hidden": "true" }, svg("rect", { width: 14, height: 14, rx: 2, style: `fill:${colours[at]}` })), `${regions[at]!.name ? `${regions[at]!.name}: ` : ""}${regions[at]!.words}`);
    const had = this.place.contains(document.activeElement);
    this.place.replaceChildren(chart.drawing, el("ul", { class: "legend column" }, ...regions.map((_, at) => entry(at))));
    if (had) chart.drawing.focus({ preventScroll: true });
  }
}
