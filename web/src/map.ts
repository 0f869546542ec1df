// Which strategy is best over two discounts: first coarsely, then finer; a click sets the sliders.

import { ask } from "./api";
import type { StrategyMap } from "./documents";
import { el, roomOf, short, steadily, svg } from "./dom";
import { decimal, discountOfRate, stepText, value } from "./numbers";
import { REST, shade } from "./palette";
import { plane } from "./plane";
import { inDoubles, type Question, type Shown, type State } from "./state";

type Unit = State["unit"];

/** First the best strategy in the middle of each cell, two or three times; then boundaries that are located. What takes longer than `quick`, in
 * milliseconds, is the last. */
const STAGES = [
  { path: "/api/sketch", resolution: 6, quick: 5000, told: "6 × 6 cells" },
  { path: "/api/sketch", resolution: 12, quick: 2000, told: "12 × 12 cells" },
  { path: "/api/sketch", resolution: 40, quick: 500, told: "40 × 40 cells" },
  { path: "/api/map", resolution: 12, quick: 0, told: "Boundaries pass through points that are located by exact solutions; a band much thinner than a twelfth of an axis may be missing" },
];
/** What takes this many seconds is given up; the sketch before it stays. */
const LIMIT = 30;
/** A smaller model begins with the second stage, which it has at once. */
const SMALL = 20;

/** The range of both axes, in the unit of the reader: a discount, or a rate as a fraction. */
interface Range {
  unit: Unit;
  least: number;
  greatest: number;
}

/** Rates end where the models' do. */
const GREATEST_RATES = [0.2, 0.5, 1];

/** The range in which both discounts lie, if any has them. */
function rangeOf(unit: Unit, own: Own): Range {
  if (unit === "factor") return { unit, least: 0, greatest: 0.99 };
  const rates = own.flatMap((discount) => (discount === null ? [] : [1 / value(discount) - 1]));
  const greatest = GREATEST_RATES.find((end) => rates.every((rate) => rate * 1.2 <= end)) ?? 1;
  return { unit, least: Math.min(0.01, ...rates.map((rate) => Number((rate / 2).toPrecision(1)))) || 0.001, greatest };
}

/** Whether a discount lies in a range. */
function holds(range: Range, discount: string | null): boolean {
  if (discount === null) return true;
  const place = placeOf(range.unit, discount);
  return place >= range.least && place <= range.greatest;
}

/** Where a discount stands on an axis. */
function placeOf(unit: Unit, discount: string): number {
  return unit === "factor" ? value(discount) : 1 / value(discount) - 1;
}

/** The exact discount of a place on an axis, of which only a few digits are meant. */
function discountAt({ unit, least, greatest }: Range, place: number): string {
  const inside = Math.max(least, Math.min(greatest, place));
  return unit === "factor" ? String(Math.round(inside * 200) / 200) : discountOfRate(`${Number((100 * inside).toPrecision(3))}%`)!;
}

/** The two discounts, where there are single ones. */
type Own = [string | null, string | null];

function ownOf({ view }: Shown, axes: Axes): Own {
  return axes.map((name) => view.model.principals.find((principal) => principal.name === name)?.discount ?? null) as Own;
}

type Axes = [string, string];

/** Where the letter of a region stands. */
interface Letter {
  at: number;
  x: number;
  y: number;
}

/** The place of each region that is farthest from all others, on a grid; none for a region in which a letter has no room. */
function letters(map: StrategyMap, { least, greatest }: Range): Letter[] {
  const N = 40;
  const ROOM = 1.5;
  const middle = (at: number) => least + ((at + 0.5) / N) * (greatest - least);
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

/** What the plan does in the states that it meets, in words. */
function planInWords({ view }: Shown): string {
  const MOST = 3;
  const { rows, n_met } = view.timeline;
  const told = rows.slice(0, MOST).map((row) => {
    const runs = row.runs.filter((run) => run.action !== null);
    return `in ${row.state} ${runs.map((run) => `${run.action} from ${view.model.step} ${stepText(run.from)}`).join(", ")}`;
  });
  return told.join("; ") + (n_met > told.length ? `; more states in the timeline` : "");
}

/** Whose time preference the map replaces by a single discount, in words; empty if it replaces none. */
function asIf({ view }: Shown, axes: Axes, what: string): string {
  const others = view.model.principals.filter((principal) => principal.discount === null && axes.includes(principal.name));
  return others.length > 0 ? `as if ${others.map((principal) => `${principal.name} had a single ${what} in place of ${principal.stated}`).join(", and ")}` : "";
}

/** What a map depends on: a question, but for the discounts of its axes; the axes, and their range. */
interface Subject {
  asked: Question;
  axes: Axes;
  range: Range;
}

export class MapPanel {
  /** What the map is of that is shown, or being computed. */
  private subject: Subject | null = null;
  private map: StrategyMap | null = null;
  private asking: AbortController | null = null;
  /** Where the sliders are, and the plan there. */
  private own: Own = [null, null];
  private shown: Shown | null = null;
  /** The question that the map answers. */
  private answered: { path: string; body: object } | null = null;
  private lettered: { map: StrategyMap; letters: Letter[] } | null = null;
  /** Where on the axes a place of the drawing is. */
  private at: ((event: MouseEvent) => [number, number]) | null = null;

  constructor(
    private readonly place: HTMLElement,
    private readonly status: HTMLElement,
    private readonly set: (asked: Question, discounts: Record<string, string>) => void,
  ) {
    // A finer map may replace the drawing between press and release, and then there is no click: the panel hears the two itself.
    let pressed: PointerEvent | null = null;
    place.addEventListener("pointerdown", (event) => (pressed = event.isPrimary && event.button === 0 ? event : null));
    place.addEventListener("pointerup", (event) => {
      const isClick = pressed !== null && Math.hypot(event.clientX - pressed.clientX, event.clientY - pressed.clientY) < 6;
      pressed = null;
      if (!isClick || !this.at || !this.subject) return;
      const places = this.at(event);
      const { least, greatest } = this.subject.range;
      const margin = 0.015 * (greatest - least);
      if (places.every((place) => place >= least - margin && place <= greatest + margin)) this.choose(places);
    });
  }

  /** Sets the sliders to a place; null for an axis that stays as it is. */
  private choose(places: [number | null, number | null]): void {
    const { asked, axes, range } = this.subject!;
    this.set(asked, Object.fromEntries(places.flatMap((place, at) => (place === null ? [] : [[axes[at]!, discountAt(range, place)]]))));
  }

  /** What the map of these sliders is of. A range stays while both discounts lie in it. */
  private subjectOf({ asked }: Shown, axes: Axes, unit: Unit, own: Own): Subject {
    const before = this.subject;
    const discounts = Object.fromEntries(Object.entries(asked.discounts).filter(([name]) => !axes.includes(name)));
    const stays = before && before.asked.model === asked.model && before.range.unit === unit && String(before.axes) === String(axes) && own.every((discount) => holds(before.range, discount));
    return { asked: { ...asked, discounts }, axes, range: stays ? before.range : rangeOf(unit, own) };
  }

  /** Moves the mark, if the map is that of these sliders. Another one looks old until `show` replaces it. */
  mark(shown: Shown, axes: Axes, unit: Unit): void {
    const own = ownOf(shown, axes);
    const isSame = JSON.stringify(this.subjectOf(shown, axes, unit, own)) === JSON.stringify(this.subject);
    this.place.classList.toggle("old", !isSame);
    this.shown = shown;
    if (isSame) this.draw(own);
  }

  /** Another model is shown: nothing of the one before stays, and nothing more comes of it. */
  forget(): void {
    this.asking?.abort();
    this.subject = null;
    this.status.replaceChildren();
    this.clear();
  }

  /** The question that the map on the page answers, if there is one. */
  drawn(): { path: string; body: object } | null {
    return this.map && this.answered;
  }

  private clear(): void {
    [this.map, this.at] = [null, null];
    this.place.classList.remove("old");
    this.place.replaceChildren();
  }

  /** Shows the map of these sliders, and asks for it if it is another one than before. */
  async show(shown: Shown, axes: Axes, unit: Unit): Promise<void> {
    const own = ownOf(shown, axes);
    const subject = this.subjectOf(shown, axes, unit, own);
    this.shown = shown;
    if (JSON.stringify(subject) === JSON.stringify(this.subject)) {
      this.draw(own);
      return;
    }
    this.place.classList.add("old");
    [this.subject, this.own, this.map] = [subject, own, null];
    const { least, greatest } = subject.range;
    this.asking?.abort();
    const asking = new AbortController();
    this.asking = asking;
    this.status.textContent = "Computing the map …";
    try {
      for (const [at, { path, resolution, quick, told }] of STAGES.entries()) {
        if (at === 0 && shown.view.model.n_states <= SMALL) continue;
        const began = performance.now();
        const [x, y] = axes.map((name) => (unit === "rate" ? `${name}.rate` : name));
        const body = { ...inDoubles(shown.view, "1e-9"), x, y, least, greatest, resolution };
        const answer = await ask<StrategyMap>(path, { ...subject.asked, ...body, time_limit: LIMIT }, asking.signal);
        if (!answer.ok) {
          // A sketch stays until a whole map is there; one that was stopped is better than none.
          if (!this.map && answer.data?.drawn.some((region) => region.name)) {
            [this.map, this.answered] = [answer.data, { path, body }];
            this.draw(this.own);
            this.status.textContent = `${told}, of which some are not solved after ${LIMIT} seconds.`;
            return;
          }
          if (!this.map) this.clear();
          this.status.textContent = this.map ? `${STAGES[at - 1]!.told}; finer takes more than ${LIMIT} seconds.` : `${answer.error.message}${answer.error.help ? `; ${answer.error.help}` : ""}`;
          return;
        }
        [this.map, this.answered] = [answer.data, { path, body }];
        this.draw(this.own);
        const [took, next] = [performance.now() - began, STAGES[at + 1]];
        const isLast = !next || took > quick;
        const longer = next ? `; finer would take about ${Math.ceil((took / 1000) * (next.resolution / resolution) ** 2) || 1} seconds` : "";
        this.status.textContent = isLast ? `${told}${next?.path === "/api/sketch" ? longer : next ? "; boundaries would take too long here" : ""}.` : `${told}; refining …`;
        if (isLast) return;
      }
    } catch (error) {
      // Another map was asked for meanwhile.
      if (!asking.signal.aborted) throw error;
    }
  }

  /** Where the letters of a map stand: once for each map, as a slider draws it at every move. */
  private letters(map: StrategyMap): Letter[] {
    if (this.lettered?.map !== map) this.lettered = { map, letters: letters(map, this.subject!.range) };
    return this.lettered.letters;
  }

  /** Draws what is known, with a mark where the sliders are. */
  private draw(own: Own): void {
    this.own = own;
    if (!this.map || !this.subject) return;
    this.place.classList.remove("old");
    const { axes, range } = this.subject;
    const { unit, least, greatest } = range;
    // What has no extent is not on the map, and not in its legend.
    const regions = this.map.drawn.filter((region) => region.outline.some((ring) => ring.length > 2));
    const width = Math.min(roomOf(this.place), 520);
    const what = unit === "factor" ? "discount" : "rate";
    const ends: [number, number] = unit === "factor" ? [0, 1] : [0, greatest];
    const tick = unit === "factor" ? decimal : (rate: number) => `${decimal(100 * rate)}%`;
    const chart = plane({ width, height: Math.round(width * 0.92) }, { x: ends, y: ends }, {
      x: `${what} of ${short(axes[0])}`,
      y: `${what} of ${short(axes[1])}`,
      title: `Best strategy by the ${what}s of ${axes[0]} and ${axes[1]}`,
      description: regions.map((region) => `${region.name} ${region.words}`).join("; "),
    }, tick);
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
    const places = this.letters(this.map).map((letter) => ({ ...letter, at: regions.indexOf(this.map!.drawn[letter.at]!) })).filter((letter) => letter.at >= 0);
    for (const { at, x, y } of places) {
      chart.drawing.append(svg("text", { class: "letter", x: chart.x(x), y: chart.y(y) + 5, "text-anchor": "middle", "aria-hidden": "true" }, regions[at]!.name));
    }
    const corner = (place: number) => `${chart.x(place)} ${chart.y(place)}`;
    chart.drawing.append(svg("path", { class: "axis", "stroke-dasharray": "4 4", d: `M${corner(ends[0])}L${corner(ends[1])}` }));
    const [x, y] = own.map((discount) => (discount === null ? (least + greatest) / 2 : placeOf(unit, discount))) as [number, number];
    const isOnMap = [x, y].every((place) => place <= ends[1]);
    const plan = this.shown ? planInWords(this.shown) : "";
    const hasDot = own[0] !== null && own[1] !== null && isOnMap;
    if (hasDot) {
      // Cells are coloured by their middles: around the dot, which is solved itself, no colour counts.
      chart.drawing.append(svg("circle", { class: "halo", cx: chart.x(x), cy: chart.y(y), r: 11 }));
      chart.drawing.append(svg("circle", { class: "dot", cx: chart.x(x), cy: chart.y(y), r: 6 }, svg("title", {}, `the sliders: ${plan}`)));
    }
    const replaced = this.shown ? asIf(this.shown, axes, what) : "";
    chart.drawing.classList.add("pick");
    chart.drawing.setAttribute("tabindex", "0");
    chart.drawing.setAttribute("role", "application");
    chart.drawing.setAttribute("aria-label", `Map of the best strategy${replaced ? `, ${replaced}` : ""}; ${what} of ${axes[0]} ${tick(x)}, of ${axes[1]} ${tick(y)}${hasDot ? `: ${plan}` : ""}. Arrow keys move them.`);
    this.at = chart.at;
    const step = unit === "factor" ? 0.01 : greatest / 100;
    chart.drawing.addEventListener("keydown", (event) => {
      const moves: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
      const move = moves[event.key];
      if (!move) return;
      event.preventDefault();
      this.choose([move[0] ? x + move[0] * step : null, move[1] ? y + move[1] * step : null]);
    });
    const swatch = (at: number) => svg("svg", { width: 14, height: 14, "aria-hidden": "true" }, svg("rect", { width: 14, height: 14, rx: 2, style: `fill:${colours[at]}` }));
    const hasLetter = new Set(places.map((letter) => letter.at));
    const all = regions.map((_, at) => at);
    const narrow = all.filter((at) => !hasLetter.has(at) && !regions[at]!.is_rest);
    const entry = (at: number) => el("li", { class: hasLetter.has(at) ? "lettered" : "" }, swatch(at), `${regions[at]!.name ? `${regions[at]!.name}: ` : ""}${regions[at]!.words}`);
    const legend = el("ul", { class: "legend column" }, ...all.filter((at) => !narrow.includes(at)).map(entry));
    if (narrow.length > 0) legend.append(el("li", { class: "note" }, "On the map without a letter, because there is no room for one:"), ...narrow.map(entry));
    if (hasDot) legend.prepend(el("li", { class: "own" }, svg("svg", { width: 14, height: 14, "aria-hidden": "true" }, svg("circle", { class: "dot", cx: 7, cy: 7, r: 5 })), `the sliders: ${plan}`));
    if (replaced) legend.prepend(el("li", { class: "note as-if" }, `The map is drawn ${replaced}.`));
    if (!isOnMap) legend.append(el("li", { class: "note" }, `The map ends at ${tick(ends[1])}; the sliders are beyond.`));
    const had = this.place.contains(document.activeElement);
    steadily(() => this.place.replaceChildren(chart.drawing, legend));
    if (had) chart.drawing.focus({ preventScroll: true });
  }
}
