// Sliders for the numbers of every principal's time preference, as a factor or as a rate, and one for its weight.

import type { Parameter, Principal } from "./documents";
import { el } from "./dom";
import { decimal, discountOfRate, fraction, plain, rateOfDiscount, typedDiscount, value } from "./numbers";
import { ofPrincipal } from "./palette";
import type { State } from "./state";

type Unit = State["unit"];

/** What the reader has set. */
export type Change = ({ kind: "discount" } | { kind: "weight" } | { kind: "parameter"; parameter: string }) & {
  name: string;
  text: string;
  /** Marks the number as one that the server does not take, and says why. */
  refuse: (why: string) => void;
};

/** The places of a slider: where a number stands, and the number at a place as exact text. */
interface Scale {
  places: number;
  place: (number: string) => number;
  at: (place: number) => string;
  /** The number as it is shown, and what a person has typed as a number, or why it is none. */
  shown: (number: string) => string;
  typed: (text: string) => { number: string } | { error: string };
}

/** Places that go from one number to another, each by the same factor. */
function geometric(least: number, greatest: number, digits: number): { place: (number: number) => number; at: (place: number) => number } {
  return {
    place: (number) => Math.round((400 * Math.log(Math.max(number, least) / least)) / Math.log(greatest / least)),
    at: (place) => Number((least * (greatest / least) ** (place / 400)).toPrecision(digits)),
  };
}

/** The text of an exact rate, 3% or 0.03, as a fraction. */
function rateText(text: string): string | null {
  const isPercent = text.trim().endsWith("%");
  const found = fraction(isPercent ? text.trim().slice(0, -1) : text);
  if (!found || found.over < 0n) return null;
  return `${found.over}/${isPercent ? found.under * 100n : found.under}`;
}

const within = (test: (number: number) => boolean, error: string) => (text: string) => (fraction(text) && test(value(text)) ? { number: text.trim() } : { error });

const rates = geometric(0.1, 300, 3);
const statedRates = geometric(0.1, 100, 3);
const numbers = geometric(0.01, 10, 3);
/** Numbers of steps from 1 to 1,000, each at one place: the smaller ones one by one. */
const STEPS = [...new Set(Array.from({ length: 401 }, (_, place) => Math.round(geometric(1, 1000, 6).at(place))))];

/** A discount in the unit of the reader. Factors move in steps of 0.005, rates from 0.1 % to 300 %. */
const DISCOUNT: Record<Unit, Scale> = {
  factor: {
    places: 199,
    place: (discount) => Math.round(value(discount) * 200),
    at: (place) => String(place / 200),
    shown: plain,
    typed: (text) => asNumber(typedDiscount(text, "factor")),
  },
  rate: {
    places: 400,
    place: (discount) => rates.place(100 * (1 / value(discount) - 1)),
    at: (place) => discountOfRate(`${rates.at(place)}%`)!,
    shown: rateOfDiscount,
    typed: (text) => asNumber(typedDiscount(text, "rate")),
  },
};

function asNumber(found: { discount: string } | { error: string }): { number: string } | { error: string } {
  return "error" in found ? found : { number: found.discount };
}

/** The other numbers of a preference, by what they are. */
const SCALES: Record<Parameter["kind"], Scale> = {
  factor: { ...DISCOUNT.factor, places: 200, typed: within((number) => number >= 0 && number <= 1, "a number from 0 to 1, such as 0.7 or 2/3") },
  rate: {
    places: 400,
    place: (rate) => statedRates.place(100 * value(rate)),
    at: (place) => rateText(`${statedRates.at(place)}%`)!,
    shown: (rate) => `${decimal(Number((100 * value(rate)).toPrecision(6)))}%`,
    typed: (text) => {
      const number = rateText(text);
      return number !== null && value(number) <= 1 ? { number } : { error: "a rate from 0 % to 100 %, such as 3% or 0.03" };
    },
  },
  steps: {
    places: STEPS.length - 1,
    place: (count) => Math.max(0, STEPS.findLastIndex((own) => own <= value(count))),
    at: (place) => String(STEPS[place]),
    shown: plain,
    typed: within((number) => Number.isInteger(number) && number >= 1, "a whole number of steps, at least 1"),
  },
  number: { places: 400, place: (number) => numbers.place(value(number)), at: (place) => String(numbers.at(place)), shown: plain, typed: within((number) => number > 0, "a number above 0, such as 0.1") },
};

const WEIGHT: Scale = {
  places: 60,
  place: (weight) => Math.round(10 * value(weight)) + 20,
  at: (place) => String((place - 20) / 10),
  shown: plain,
  typed: within(() => true, "a number such as 1 or 1/2"),
};

/** A slider beside a field, both for the same number. */
class Dial {
  readonly element: HTMLElement;
  private readonly slider: HTMLInputElement;
  private readonly field: HTMLInputElement;
  private readonly error: HTMLElement;
  /** Whether something is typed that does not count yet. */
  private isTyping = false;
  private static count = 0;

  constructor(
    what: string,
    label: string,
    private readonly scale: Scale,
    set: (text: string, refuse: (why: string) => void) => void,
  ) {
    const refused = (why: string) => this.refuse(why);
    const id = `refused-${Dial.count++}`;
    this.slider = el("input", { type: "range", min: 0, max: scale.places, step: 1, "aria-label": label });
    this.field = el("input", { type: "text", size: 7, "aria-label": `${label}, typed`, "aria-errormessage": id, spellcheck: "false", autocomplete: "off" });
    this.error = el("p", { class: "refused", id, role: "alert", hidden: true });
    this.slider.addEventListener("input", () => {
      const number = scale.at(Number(this.slider.value));
      this.refuse(null);
      [this.isTyping, this.field.value] = [false, scale.shown(number)];
      set(number, refused);
    });
    this.field.addEventListener("change", () => {
      const found = scale.typed(this.field.value);
      this.isTyping = false;
      this.refuse("error" in found ? `write ${found.error}` : null);
      if ("number" in found) set(found.number, refused);
    });
    // What is mended is no longer marked, although it counts only when it is whole.
    this.field.addEventListener("input", () => {
      this.isTyping = true;
      if (!this.error.hidden && "number" in scale.typed(this.field.value)) this.refuse(null);
    });
    this.element = el("div", { class: "dial" }, el("div", { class: "line" }, el("span", { class: "what" }, what), this.slider, this.field), this.error);
  }

  /** Marks what the field says as refused, until it is mended or another number is set. */
  private refuse(why: string | null): void {
    this.error.hidden = why === null;
    this.error.textContent = why === null ? "" : `“${this.field.value}” is not taken: ${why}.`;
    if (why === null) this.field.removeAttribute("aria-invalid");
    else this.field.setAttribute("aria-invalid", "true");
  }

  /** Shows a number, unless what was typed waits to be mended. */
  show(number: string, isKnown: boolean, told: string): void {
    this.slider.value = String(this.scale.place(number));
    if (!this.isTyping && this.error.hidden) this.field.value = isKnown ? this.scale.shown(number) : "";
    this.slider.setAttribute("aria-valuetext", told || this.scale.shown(number));
  }
}

interface Row {
  dials: { parameter: string; dial: Dial }[];
  single: Dial;
  told: HTMLElement;
  weight: Dial;
}

/** More numbers than this are not moved one by one. */
const MOST = 12;

/** The numbers that are moved one by one: those of a preference that is more than one discount. */
function moved(principal: Principal): Parameter[] {
  const { parameters } = principal;
  const isSingle = principal.discount !== null || parameters.length === 0 || parameters.length > MOST;
  return isSingle ? [] : parameters;
}

/** What a number is called beside its slider. */
function called(parameter: Parameter, step: string): string {
  const since = /^from (\d+)$/.exec(parameter.name);
  if (since) return since[1] === "0" ? "at first" : `from ${step} ${since[1]}`;
  return parameter.name;
}

export class Sliders {
  private rows = new Map<string, Row>();
  private shape = "";

  constructor(
    private readonly place: HTMLElement,
    private readonly changed: (change: Change) => void,
  ) {}

  /** Shows what the principals have. Elements stay as long as the principals do, so that a slider is not torn from a hand. */
  show(principals: Principal[], unit: Unit, step: string): void {
    const shape = JSON.stringify([principals.map((principal) => [principal.name, moved(principal).map((parameter) => parameter.name)]), unit]);
    if (shape !== this.shape) {
      this.shape = shape;
      this.rows.clear();
      this.place.replaceChildren(...principals.map((principal, at) => this.made(principal, at, unit, step)));
    }
    for (const principal of principals) this.fill(principal, unit);
  }

  /** Forgets what was typed and refused: the numbers come from elsewhere now. */
  reset(): void {
    this.shape = "";
  }

  private made(principal: Principal, at: number, unit: Unit, step: string): HTMLElement {
    const { name } = principal;
    const own = moved(principal);
    const dials = own.map((parameter) => {
      const what = called(parameter, step);
      return { parameter: parameter.name, dial: new Dial(what, `${what} of ${name}`, SCALES[parameter.kind], (text, refuse) => this.changed({ kind: "parameter", name, parameter: parameter.name, text, refuse })) };
    });
    const label = unit === "factor" ? `discount of ${name}` : `rate of ${name}`;
    const single = new Dial(unit, label, DISCOUNT[unit], (text, refuse) => this.changed({ kind: "discount", name, text, refuse }));
    const weight = new Dial("weight", `weight of ${name}`, WEIGHT, (text, refuse) => this.changed({ kind: "weight", name, text, refuse }));
    const told = el("span", { class: "note" });
    this.rows.set(name, { dials, single, told, weight });
    const folded = (what: string, dial: Dial) => el("details", {}, el("summary", {}, what), dial.element);
    return el(
      "fieldset",
      { class: own.some((parameter) => called(parameter, step).length > 7) ? "principal wide" : "principal" },
      el("legend", {}, el("span", { class: "swatch", style: `background:${ofPrincipal(at)}` }), name),
      ...(own.length > 0 ? [...dials.map(({ dial }) => dial.element), told, folded("a single discount in its place", single)] : [single.element, told]),
      folded("weight", weight),
    );
  }

  private fill(principal: Principal, unit: Unit): void {
    const row = this.rows.get(principal.name)!;
    for (const { parameter, dial } of row.dials) dial.show(principal.parameters.find((own) => own.name === parameter)!.value, true, "");
    const discount = principal.discount ?? principal.patience;
    const other = unit === "factor" ? `a rate of ${rateOfDiscount(discount)}` : `a factor of ${decimal(value(discount))}`;
    const isSingle = principal.discount !== null;
    row.single.show(discount, isSingle, isSingle ? `${DISCOUNT[unit].shown(discount)}, ${other}` : principal.stated);
    const replaces = row.dials.length > 0 ? "" : "; the slider replaces it by a single discount";
    row.told.textContent = isSingle ? `that is ${other} per step` : `${principal.stated}${replaces}`;
    row.weight.show(principal.weight, true, "");
  }
}
