// Each principal's accrued payoff by step, under the plan and under the long-term strategy.

import type { View } from "./documents";
import { el, roomOf, short, svg } from "./dom";
import { decimal, value } from "./numbers";
import { ofPrincipal, series } from "./palette";
import { plane, range } from "./plane";
import { isCost } from "./principals";

/** More principals than this are not drawn. */
const DRAWN = 7;

interface Curve {
  name: string;
  colour: string;
  values: number[];
  isDashed: boolean;
}

function curves(view: View): Curve[] {
  const accrued = view.accrued!;
  const principals = view.model.principals;
  const of = (source: Record<string, number[]>, suffix: string, isDashed: boolean): Curve[] => {
    const steps = Object.values(source)[0]?.length ?? 0;
    const sum = Array.from({ length: steps }, (_, step) =>
      principals.reduce((total, principal) => total + value(principal.weight) * (source[principal.name]?.[step] ?? 0), 0),
    );
    const own = principals.slice(0, principals.length > 1 ? DRAWN : 0).map((principal, at) => ({
      name: short(principal.name) + (isCost(principal) ? " (cost)" : "") + suffix,
      colour: ofPrincipal(at),
      values: source[principal.name] ?? [],
      isDashed,
    }));
    return [{ name: `welfare${suffix}`, colour: series(0), values: sum, isDashed }, ...own];
  };
  return [...of(accrued.plan, "", false), ...of(accrued.long_term, ", long-term", true)];
}

/** Draws the curves; what lies under the pointer is told below them. */
export function drawPayoffs(place: HTMLElement, view: View): void {
  if (!view.accrued) {
    place.replaceChildren(el("p", { class: "note" }, "The model is too large for curves."));
    return;
  }
  const all = curves(view);
  const steps = Math.max(...all.map((curve) => curve.values.length - 1));
  const size = { width: roomOf(place), height: 300 };
  const words = all.map((curve) => `${curve.name} ends at ${decimal(curve.values.at(-1) ?? 0)}`).join("; ");
  const chart = plane(size, { x: [0, steps], y: range(all.flatMap((curve) => curve.values)) }, {
    x: `${view.model.step}s taken`,
    y: view.model.principals.some(isCost) ? "payoff or cost so far" : "payoff so far",
    title: "Accrued payoffs",
    description: words,
  });
  for (const curve of all) {
    const points = curve.values.map((value, step) => `${chart.x(step)} ${chart.y(value)}`);
    const dash = curve.isDashed ? { "stroke-dasharray": "5 4" } : {};
    chart.drawing.append(svg("path", { class: "line", style: `stroke:${curve.colour}`, d: `M${points.join("L")}`, ...dash }));
  }
  const here = svg("path", { class: "here", d: "" });
  chart.drawing.append(here);
  const told = el("p", { class: "note told", "aria-live": "polite" }, "Point at the curves to read them.");
  const tell = (step: number) => {
    here.setAttribute("d", `M${chart.x(step)} ${chart.top}V${chart.bottom}`);
    const parts = all.filter((curve) => !curve.isDashed).map((curve) => `${curve.name} ${decimal(curve.values[step] ?? 0)}`);
    told.textContent = `After ${step} ${view.model.step}${step === 1 ? "" : "s"}: ${parts.join(", ")}.`;
  };
  chart.drawing.addEventListener("pointermove", (event) => {
    tell(Math.max(0, Math.min(steps, Math.round(chart.at(event)[0]))));
  });
  place.replaceChildren(legend(all), chart.drawing, told, el("p", { class: "note flat" }, flatInWords(all)));
}

/** Which curves are too small beside the others to be told from 0. */
function flatInWords(all: Curve[]): string {
  const size = (curve: Curve) => Math.max(0, ...curve.values.map(Math.abs));
  const largest = Math.max(...all.map(size));
  const flat = all.filter((curve) => !curve.isDashed && size(curve) > 0 && size(curve) < largest / 200);
  if (flat.length === 0) return "";
  const ends = flat.map((curve) => `${curve.name}, which ends at ${decimal(curve.values.at(-1) ?? 0)}`).join(", and of ");
  return `The scale is too coarse to see the curve of ${ends}.`;
}

function legend(all: Curve[]): HTMLElement {
  const entry = (curve: Curve) =>
    el(
      "li",
      {},
      svg("svg", { width: 24, height: 10, "aria-hidden": "true" }, svg("path", { class: "line", style: `stroke:${curve.colour}`, d: "M1 5H23", ...(curve.isDashed ? { "stroke-dasharray": "5 4" } : {}) })),
      curve.name,
    );
  return el("ul", { class: "legend" }, ...all.map(entry));
}
