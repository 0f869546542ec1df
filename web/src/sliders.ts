// A slider for every principal's patience, as a factor or as a rate, and one for its weight.

import type { Principal } from "./documents";
import { el } from "./dom";
import { decimal, discountOfRate, plain, rateOfDiscount, typedDiscount, value } from "./numbers";
import { ofPrincipal } from "./palette";

/** Factors move in steps of 0.005. */
const PARTS = 200;
/** Rates go from 0.1 % to 300 %, each step of the slider by the same factor. */
const LEAST = 0.1;
const GREATEST = 300;

interface Row {
  slider: HTMLInputElement;
  typed: HTMLInputElement;
  told: HTMLElement;
  weight: HTMLInputElement;
  typedWeight: HTMLInputElement;
}

export class Sliders {
  private rows = new Map<string, Row>();
  private shape = "";

  constructor(
    private readonly place: HTMLElement,
    private readonly changed: (kind: "discounts" | "weights", name: string, text: string) => void,
  ) {}

  /** Shows what the principals have. Elements stay as long as the principals do, so that a slider is not torn from a hand. */
  show(principals: Principal[], unit: "factor" | "rate"): void {
    const shape = JSON.stringify([principals.map((principal) => principal.name), unit]);
    if (shape !== this.shape) {
      this.shape = shape;
      this.rows.clear();
      this.place.replaceChildren(...principals.map((principal, at) => this.made(principal, at, unit)));
    }
    for (const principal of principals) this.fill(principal, unit);
  }

  private made(principal: Principal, at: number, unit: "factor" | "rate"): HTMLElement {
    const { name } = principal;
    const label = unit === "factor" ? `discount of ${name}` : `rate of ${name}`;
    const slider = el("input", { type: "range", min: 0, max: unit === "factor" ? PARTS - 1 : 400, step: 1, "aria-label": label });
    const typed = el("input", { type: "text", size: 7, "aria-label": `${label}, typed`, inputmode: "decimal", spellcheck: "false" });
    const told = el("span", { class: "note" });
    const weight = el("input", { type: "range", min: -2, max: 4, step: 0.1, "aria-label": `weight of ${name}` });
    const typedWeight = el("input", { type: "text", size: 5, "aria-label": `weight of ${name}, typed`, spellcheck: "false" });
    slider.addEventListener("input", () => this.changed("discounts", name, discountAt(Number(slider.value), unit)));
    typed.addEventListener("change", () => {
      const found = typedDiscount(typed.value, unit);
      typed.setCustomValidity("error" in found ? found.error : "");
      if ("error" in found) typed.reportValidity();
      else this.changed("discounts", name, found.discount);
    });
    weight.addEventListener("input", () => this.changed("weights", name, weight.value));
    typedWeight.addEventListener("change", () => {
      const isNumber = Number.isFinite(value(typedWeight.value));
      typedWeight.setCustomValidity(isNumber ? "" : "a number such as 1 or 1/2");
      if (isNumber) this.changed("weights", name, typedWeight.value.trim());
      else typedWeight.reportValidity();
    });
    this.rows.set(name, { slider, typed, told, weight, typedWeight });
    return el(
      "fieldset",
      { class: "principal" },
      el("legend", {}, el("span", { class: "swatch", style: `background:${ofPrincipal(at)}` }), name),
      el("div", { class: "line" }, el("span", { class: "what" }, unit), slider, typed),
      told,
      el("details", {}, el("summary", {}, "weight"), el("div", { class: "line" }, weight, typedWeight)),
    );
  }

  private fill(principal: Principal, unit: "factor" | "rate"): void {
    const row = this.rows.get(principal.name)!;
    const discount = principal.discount ?? principal.patience;
    const at = positionOf(discount, unit);
    if (document.activeElement !== row.slider || Number(row.slider.value) !== at) row.slider.value = String(at);
    if (document.activeElement !== row.typed) row.typed.value = unit === "factor" ? plain(discount) : rateOfDiscount(discount);
    const other = unit === "factor" ? `a rate of ${rateOfDiscount(discount)}` : `a factor of ${decimal(value(discount))}`;
    const isSingle = principal.discount !== null;
    if (!isSingle && document.activeElement !== row.typed) row.typed.value = "";
    row.slider.setAttribute("aria-valuetext", isSingle ? `${row.typed.value}, ${other}` : principal.stated);
    row.told.textContent = isSingle ? `that is ${other} per step` : `${principal.stated}; the slider replaces it by a single discount`;
    row.weight.value = String(value(principal.weight));
    if (document.activeElement !== row.typedWeight) row.typedWeight.value = plain(principal.weight);
  }
}

/** The discount at a place of the slider, as the text of an exact number. */
function discountAt(at: number, unit: "factor" | "rate"): string {
  if (unit === "factor") return String(at / PARTS);
  const rate = LEAST * (GREATEST / LEAST) ** (at / 400);
  return discountOfRate(`${Number(rate.toPrecision(3))}%`)!;
}

function positionOf(discount: string, unit: "factor" | "rate"): number {
  const factor = value(discount);
  if (unit === "factor") return Math.round(factor * PARTS);
  const rate = 100 * (1 / factor - 1);
  return Math.round((400 * Math.log(Math.max(rate, LEAST) / LEAST)) / Math.log(GREATEST / LEAST));
}
