// Elements, made in one line. Texts are never parsed as HTML.

type Attributes = Record<string, string | number | boolean | ((event: never) => void)>;
type Child = Node | string | null | undefined | false;

function filled<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value as EventListener);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child): child is Node | string => !!child || child === ""));
  return element;
}

/** An HTML element; an attribute that is a function listens to that event. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return filled(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/** The element of the page with this id. */
export function byId<E extends HTMLElement = HTMLElement>(id: string): E {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found as E;
}

/** A table; the cells of the first row are headings. */
export function table(head: Child[], rows: Child[][], caption: string): HTMLTableElement {
  const cells = (tag: "th" | "td", row: Child[]) =>
    el("tr", {}, ...row.map((cell, at) => (tag === "td" && at === 0 ? el("th", { scope: "row" }, cell) : el(tag, {}, cell))));
  return el(
    "table",
    { class: "numbers" },
    el("caption", { class: "unseen" }, caption),
    el("thead", {}, cells("th", head)),
    el("tbody", {}, ...rows.map((row) => cells("td", row))),
  );
}

/** Makes a table one whose rows are lists on a phone, with the names of the columns. */
export function listed(table: HTMLTableElement): HTMLTableElement {
  const names = [...table.tHead!.rows[0]!.cells].map((cell) => cell.textContent ?? "");
  for (const row of table.tBodies[0]!.rows) [...row.cells].forEach((cell, at) => (cell.dataset.column = names[at]!));
  table.classList.add("listed");
  return table;
}

/** The width that a picture has on the page. */
export function roomOf(element: HTMLElement): number {
  return Math.max(260, Math.floor(element.clientWidth || 640));
}

/** About how wide a text of this size is. */
export function textWidth(text: string, size: number): number {
  return text.length * size * 0.56;
}

/** The beginning of a long name. */
export function short(name: string, most = 18): string {
  return name.length > most ? name.slice(0, most - 1) + "…" : name;
}

/** The part of the page that a hand was on last. */
let held: Element | null = null;
for (const event of ["pointerdown", "focusin"]) {
  document.addEventListener(event, ({ target }) => (held = target instanceof Element ? target.closest("section, header") : null), true);
}

/** Draws without moving what the reader has a hand on, although what stands above it may become higher or lower. */
export function steadily(draw: () => void): void {
  const top = held?.getBoundingClientRect().top;
  draw();
  if (top !== undefined) window.scrollBy({ top: held!.getBoundingClientRect().top - top, behavior: "instant" });
}

const rovers = new WeakMap<HTMLElement, { at: number }>();
const KEYS: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** Makes many elements of a place one stop of the Tab key: the arrow keys lead from one to the next, Home and End to the ends. Called
 * after each drawing; the stop stays where it was. */
export function rove(place: HTMLElement, selector: string): void {
  const all = () => [...place.querySelectorAll<HTMLElement | SVGElement>(selector)];
  const known = rovers.get(place);
  const state = known ?? { at: 0 };
  const mark = (items: (HTMLElement | SVGElement)[]) => {
    state.at = Math.max(0, Math.min(state.at, items.length - 1));
    items.forEach((item, at) => item.setAttribute("tabindex", at === state.at ? "0" : "-1"));
  };
  mark(all());
  if (known) return;
  rovers.set(place, state);
  const move = (items: (HTMLElement | SVGElement)[], to: number) => {
    state.at = to;
    mark(items);
    items[state.at]?.focus();
  };
  place.addEventListener("keydown", (event) => {
    const items = all();
    const at = items.indexOf(document.activeElement as HTMLElement);
    if (at < 0) return;
    const step = KEYS[event.key];
    const to = step ? Math.max(0, Math.min(items.length - 1, at + step)) : event.key === "Home" ? 0 : event.key === "End" ? items.length - 1 : null;
    if (to === null) return;
    event.preventDefault();
    move(items, to);
  });
  place.addEventListener("focusin", (event) => {
    const items = all();
    const at = items.indexOf(event.target as HTMLElement);
    if (at < 0 || at === state.at) return;
    state.at = at;
    mark(items);
  });
}
