// Numbers as text, and fractions for the server.

import { el } from "./dom";
import type { Num, Step } from "./documents";

/** The double of a number of a document. */
export function double(number: Num): number {
  return Number(number.value);
}

/** A decimal of at most six places, with a minus sign, or powers of ten where it is very large or small. */
export function decimal(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : "?";
  const size = Math.abs(value);
  let text: string;
  if (size !== 0 && (size >= 1e9 || size < 1e-4)) text = value.toExponential(4).replace("e+", "e");
  else text = String(Number(value.toFixed(6)));
  return text.replace("-", "−");
}

/** The same with its sign. */
export function signed(value: number): string {
  const text = decimal(value);
  return value > 0 && text !== "0" ? `+${text}` : text;
}

/** Whether a number is known only between bounds that its decimal would hide. */
export function isWide(number: Num): boolean {
  const width = Number(number.upper) - Number(number.lower);
  return !number.exact && !(width <= 1e-6 * Math.max(1, Math.abs(double(number))));
}

/** Two bounds. */
export function between(lower: number, upper: number): string {
  return `[${decimal(lower)}, ${decimal(upper)}]`;
}

/** A number with its exact fraction, or its bounds, behind it. Bounds that are far apart are shown themselves. */
export function shown(number: Num, told = exactly(number)): HTMLElement {
  const text = isWide(number) ? between(Number(number.lower), Number(number.upper)) : decimal(double(number));
  return withBehind(text, told);
}

/** What is exactly known of a number, in words. */
export function exactly({ exact, lower, upper }: Num): string {
  return exact ? `exactly ${inFull(exact)}` : `between ${decimal(Number(lower))} and ${decimal(Number(upper))}`;
}

function inFull(exact: string): string {
  return exact.length <= 300 ? exact.replace("-", "−") : `a fraction of ${exact.length} digits`;
}

/** A text with another one behind it, which is shown under the pointer. */
function withBehind(text: string, told: string): HTMLElement {
  return el("span", { class: "number", tabindex: -1, "data-exact": told, "aria-label": `${text}, ${told}` }, text);
}

/** A fraction itself if it is short, and otherwise its decimal with the fraction behind it. */
export function shownFraction(exact: string): HTMLElement | string {
  return exact.length <= 12 ? exact : withBehind(decimal(value(exact)), `exactly ${inFull(exact)}`);
}

/** A step with its digits in groups of three. */
export function stepText(step: Step): string {
  return String(step).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A step as a double, for places in pictures. */
export function stepNumber(step: Step): number {
  return Number(step);
}

interface Fraction {
  over: bigint;
  under: bigint;
}

function gcd(a: bigint, b: bigint): bigint {
  return b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b);
}

function lowest({ over, under }: Fraction): Fraction {
  const common = gcd(over, under) || 1n;
  return { over: over / common, under: under / common };
}

/** The fraction that a text such as `2/3`, `0.95` or `1e-3` is. */
export function fraction(text: string): Fraction | null {
  const quotient = /^\s*([+-]?\d+)\s*\/\s*(\d+)\s*$/.exec(text);
  if (quotient) {
    const under = BigInt(quotient[2]!);
    return under === 0n ? null : lowest({ over: BigInt(quotient[1]!), under });
  }
  const number = /^\s*([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,3}))?\s*$/.exec(text);
  if (!number || !(number[2] || number[3])) return null;
  const places = (number[3] ?? "").length - Number(number[4] ?? 0);
  const digits = BigInt(`${number[2]}${number[3]}` || "0") * (number[1] === "-" ? -1n : 1n);
  const power = 10n ** BigInt(Math.abs(places));
  return lowest(places >= 0 ? { over: digits, under: power } : { over: digits * power, under: 1n });
}

/** The double of a text that is a number. */
export function value(text: string): number {
  const found = fraction(text);
  return found ? quotient(found) : Number(text);
}

/** The double of a fraction. Numbers beyond doubles are cut to the same number of digits first. */
function quotient({ over, under }: Fraction): number {
  const MOST = 300;
  const cut = 10n ** BigInt(Math.max(0, Math.max(String(over).length, String(under).length) - MOST));
  return Number(over / cut) / Number(under / cut);
}

/** The same weights such that their sizes add up to 1, as those of a front's vertices do. */
export function normalised(weights: Record<string, string>): Record<string, string> {
  const all = Object.entries(weights).map(([name, weight]) => [name, fraction(weight)] as const);
  const size = ({ over, under }: Fraction): Fraction => ({ over: over < 0n ? -over : over, under });
  const plus = (one: Fraction, other: Fraction) => lowest({ over: one.over * other.under + other.over * one.under, under: one.under * other.under });
  if (all.some(([, weight]) => weight === null)) return weights;
  const total = all.map(([, weight]) => size(weight!)).reduce(plus, { over: 0n, under: 1n });
  if (total.over === 0n) return weights;
  return Object.fromEntries(all.map(([name, weight]) => [name, text(lowest({ over: weight!.over * total.under, under: weight!.under * total.over }))]));
}

function text({ over, under }: Fraction): string {
  return under === 1n ? String(over) : `${over}/${under}`;
}

/** A number as a person would type it: the decimal where that is short, the fraction otherwise. */
export function plain(number: string): string {
  const found = fraction(number);
  if (!found) return number;
  return 10_000n % found.under === 0n ? String(Number(found.over) / Number(found.under)) : text(found);
}

/** The discount of a rate: 1/(1 + r). `3%` and `0.03` are the same rate. */
export function discountOfRate(rate: string): string | null {
  const percent = rate.trim().endsWith("%");
  const found = fraction(percent ? rate.trim().slice(0, -1) : rate);
  if (!found || found.over < 0n) return null;
  const under = percent ? found.under * 100n : found.under;
  return text(lowest({ over: under, under: under + found.over }));
}

/** The rate of a discount, in percent: exactly where that is a short decimal, rounded otherwise. */
export function rateOfDiscount(discount: string): string {
  const rate = 100 * (1 / value(discount) - 1);
  return Number.isFinite(rate) ? `${decimal(Number(rate.toPrecision(4)))}%` : "∞";
}

/** The discount that a person has typed: a factor, or a rate where rates are shown. An error in words otherwise. */
export function typedDiscount(typed: string, unit: "factor" | "rate"): { discount: string } | { error: string } {
  const isRate = unit === "rate" || typed.includes("%");
  const discount = isRate ? discountOfRate(typed) : typed.trim();
  const found = discount === null ? null : fraction(discount);
  if (discount === null || !found) return { error: isRate ? "a rate such as 3% or 0.03" : "a number such as 2/3 or 0.95" };
  const double = Number(found.over) / Number(found.under);
  if (double < 0 || double >= 1) return { error: "a discount that is at least 0 and below 1" };
  return { discount };
}
