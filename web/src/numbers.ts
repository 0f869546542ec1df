// Numbers as text, and fractions for the server.

import { el } from "./dom";
import type { Num, Step } from "./documents";

/** The double of a number of a document. */
export function double(number: Num): number {
  return Number(number.value);
}

/** A decimal of at most six places, with a minus sign, or powers of ten where it is very large or small. */
export function decimal(value: number, places = PLACES): string {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : "?";
  return typographic(isPlain(value) ? String(Number(value.toFixed(places))) : value.toExponential(DIGITS));
}

/** The most decimal places of a number that is shown. */
const PLACES = 6;

/** Whether a number is shown without a power of ten. */
function isPlain(value: number): boolean {
  const size = Math.abs(value);
  return size === 0 || (size < 1e9 && size >= 1e-4);
}

function typographic(text: string): string {
  return text.replace("e+", "e").replaceAll("-", "−");
}

/** The decimal of `places` places next to a number, above it (`up`) or below it. It stays a text: a double would round it again. */
function outward(value: number, places: number, up: boolean): string {
  if (!Number.isFinite(value)) return decimal(value);
  if (isPlain(value)) return typographic(pointed(nextTo(value.toFixed(places + GUARD), up), places));
  const [mantissa, exponent] = value.toExponential(DIGITS + GUARD).split("e") as [string, string];
  const whole = nextTo(mantissa, up);
  // 9.99996 is rounded up to 10, which is 1 with the next power.
  const isNext = (whole < 0n ? -whole : whole) >= 10n ** BigInt(DIGITS + 1);
  return typographic(`${pointed(isNext ? whole / 10n : whole, DIGITS)}e${Number(exponent) + (isNext ? 1 : 0)}`);
}

/** The decimal places of a number before its power of ten. */
const DIGITS = 4;

/** Digits that are looked at behind the last one that is shown: no double lies so near to a short decimal without being it. */
const GUARD = 80;

/** The digits of a decimal without its last `GUARD` ones, rounded up or down. */
function nextTo(digits: string, up: boolean): bigint {
  const [all, unit] = [BigInt(digits.replace(".", "")), 10n ** BigInt(GUARD)];
  const cut = all / unit;
  return up && all > cut * unit ? cut + 1n : !up && all < cut * unit ? cut - 1n : cut;
}

/** Digits with a point before the last `places` of them, and no zeros at the end behind it. */
function pointed(whole: bigint, places: number): string {
  const digits = String(whole < 0n ? -whole : whole).padStart(places + 1, "0");
  const [before, behind] = [digits.slice(0, digits.length - places), digits.slice(digits.length - places).replace(/0+$/, "")];
  return `${whole < 0n ? "-" : ""}${before}${behind ? `.${behind}` : ""}`;
}

/** The same with its sign. */
export function signed(value: number): string {
  return withPlus(decimal(value));
}

function withPlus(text: string): string {
  return /^\d/.test(text) && text !== "0" ? `+${text}` : text;
}

/** How far apart the bounds of a number are; 0 of one that is known exactly. */
function widthOf(number: Num): number {
  return number.exact ? 0 : Number(number.upper) - Number(number.lower);
}

/** Whether a number is known only between bounds that a decimal would hide. */
export function isWide(number: Num): boolean {
  const width = widthOf(number);
  return !(width <= 1e-5 * Math.max(1, Math.abs(double(number))) && width < 1);
}

/** Two bounds, rounded outward to as many places as tell them apart. */
function bounds(lower: number, upper: number): [string, string] {
  const apart = Math.ceil(-Math.log10(upper - lower)) + 2;
  const places = Number.isFinite(apart) ? Math.max(0, Math.min(apart, MOST_PLACES)) : PLACES;
  return [outward(lower, places, false), outward(upper, places, true)];
}

/** A double of the usual size has no more. */
const MOST_PLACES = 15;

/** A number as text: its bounds if they are far apart, otherwise no more digits than they allow. */
export function text(number: Num): string {
  const [size, width] = [Math.abs(double(number)), widthOf(number)];
  const isNearZero = size > 0 && !isPlain(size) && size < 1;
  if (isWide(number) || (isNearZero && width > 0 && size > width)) return `[${bounds(Number(number.lower), Number(number.upper)).join(", ")}]`;
  if (isNearZero && width > 0) return "≈ 0";
  return decimal(double(number), width > 0 ? Math.max(0, Math.min(PLACES, Math.floor(-Math.log10(width)))) : PLACES);
}

/** A number with its exact fraction, or its bounds, behind it. */
export function shown(number: Num, told = exactly(number)): HTMLElement {
  return withBehind(text(number), told);
}

/** A difference with its sign, and the same behind it. */
export function shownSigned(number: Num): HTMLElement {
  return withBehind(withPlus(text(number)), exactly(number));
}

/** What is exactly known of a number, in words. */
export function exactly({ exact, lower, upper }: Num): string {
  if (exact) return `exactly ${inFull(exact)}`;
  const ends = bounds(Number(lower), Number(upper));
  // Bounds that are rounded outward to the same decimal are that decimal.
  return ends[0] === ends[1] ? `exactly ${ends[0]}` : `between ${ends.join(" and ")}`;
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

/** What the first of two numbers is more than the second: a fraction if both are, bounds otherwise. */
export function minus(one: Num, other: Num): Num {
  return weighted([["1", one], ["-1", other]]);
}

/** Longer fractions take long to reduce. */
const LONGEST_FRACTION = 600;

/** A sum of numbers, each times its weight: a fraction if all are, otherwise bounds that hold whatever is rounded. */
export function weighted(terms: [weight: string, number: Num][]): Num {
  const none = { over: 0n, under: 1n };
  const weights = terms.map(([weight]) => fraction(weight) ?? none);
  const sum = (of: (number: Num, weight: Fraction) => Fraction | null) =>
    terms.reduce<Fraction | null>((total, [, number], at) => {
      const own = weights[at]!.over === 0n ? none : of(number, weights[at]!);
      return total && own && plus(total, times(weights[at]!, own));
    }, none);
  const exact = sum(({ exact }) => (exact && exact.length <= LONGEST_FRACTION ? fraction(exact) : null));
  if (exact) {
    const double = quotient(exact);
    return { exact: textOf(exact), lower: double, upper: double, value: double };
  }
  const lower = sum((number, weight) => ofDouble(Number(weight.over < 0n ? number.upper : number.lower)));
  const upper = sum((number, weight) => ofDouble(Number(weight.over < 0n ? number.lower : number.upper)));
  const [least, most] = [lower ? directed(lower, false) : -Infinity, upper ? directed(upper, true) : Infinity];
  const middle = sum((number) => ofDouble(double(number)));
  return { lower: least, upper: most, value: middle ? Math.min(Math.max(quotient(middle), least), most) : least };
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

/** The double next to a fraction, however long its numbers are. */
function quotient({ over, under }: Fraction): number {
  if (over === 0n) return 0;
  const length = (number: bigint) => number.toString(2).length;
  const size = over < 0n ? -over : over;
  // 64 bits of the quotient, the last of which says whether there are more, are rounded once.
  const shift = 64 - length(size) + length(under);
  const [up, down] = shift > 0 ? [size << BigInt(shift), under] : [size, under << BigInt(-shift)];
  const bits = Number((up / down) | (up % down === 0n ? 0n : 1n));
  const half = Math.trunc(-shift / 2);
  return (over < 0n ? -1 : 1) * bits * 2 ** half * 2 ** (-shift - half);
}

/** The fraction that a double is; none of an infinite one. */
function ofDouble(double: number): Fraction | null {
  if (!Number.isFinite(double)) return null;
  let [over, under] = [double, 1n];
  while (!Number.isInteger(over)) [over, under] = [over * 2, under * 2n];
  return { over: BigInt(over), under };
}

/** The double nearest to a fraction that is not below it (`up`), or not above it. */
function directed(exact: Fraction, up: boolean): number {
  const near = quotient(exact);
  const found = ofDouble(near);
  const isBelow = found ? found.over * exact.under < exact.over * found.under : near < 0;
  const isAbove = found ? found.over * exact.under > exact.over * found.under : near > 0;
  return (up ? isBelow : isAbove) ? beside(near, up) : near;
}

/** The next double above (`up`) or below. */
function beside(double: number, up: boolean): number {
  if (double === 0) return up ? Number.MIN_VALUE : -Number.MIN_VALUE;
  const bits = new BigInt64Array(new Float64Array([double]).buffer);
  bits[0] = bits[0]! + (double > 0 === up ? 1n : -1n);
  return new Float64Array(bits.buffer)[0]!;
}

function plus(one: Fraction, other: Fraction): Fraction {
  return lowest({ over: one.over * other.under + other.over * one.under, under: one.under * other.under });
}

function times(one: Fraction, other: Fraction): Fraction {
  return lowest({ over: one.over * other.over, under: one.under * other.under });
}

/** The weights in the middle of several. */
export function middle(all: Record<string, string>[]): Record<string, string> {
  const none = { over: 0n, under: 1n };
  const sum = (name: string) => all.map((weights) => fraction(weights[name] ?? "0") ?? none).reduce(plus, none);
  return normalised(Object.fromEntries(Object.keys(all[0]!).map((name) => [name, textOf(sum(name))])));
}

/** The same weights such that their sizes add up to 1, as those of a front's vertices do. */
export function normalised(weights: Record<string, string>): Record<string, string> {
  const all = Object.entries(weights).map(([name, weight]) => [name, fraction(weight)] as const);
  const size = ({ over, under }: Fraction): Fraction => ({ over: over < 0n ? -over : over, under });
  if (all.some(([, weight]) => weight === null)) return weights;
  const total = all.map(([, weight]) => size(weight!)).reduce(plus, { over: 0n, under: 1n });
  if (total.over === 0n) return weights;
  return Object.fromEntries(all.map(([name, weight]) => [name, textOf(lowest({ over: weight!.over * total.under, under: weight!.under * total.over }))]));
}

function textOf({ over, under }: Fraction): string {
  return under === 1n ? String(over) : `${over}/${under}`;
}

/** A number as a person would type it: the decimal where that is short, the fraction otherwise. */
export function plain(number: string): string {
  const found = fraction(number);
  if (!found) return number;
  return 10_000n % found.under === 0n ? pointed((found.over * 10_000n) / found.under, 4) : textOf(found);
}

/** The discount of a rate: 1/(1 + r). `3%` and `0.03` are the same rate. */
export function discountOfRate(rate: string): string | null {
  const percent = rate.trim().endsWith("%");
  const found = fraction(percent ? rate.trim().slice(0, -1) : rate);
  if (!found || found.over < 0n) return null;
  const under = percent ? found.under * 100n : found.under;
  return textOf(lowest({ over: under, under: under + found.over }));
}

/** The rate of a discount, in percent: exactly where that is a short decimal, rounded otherwise. */
export function rateOfDiscount(discount: string): string {
  const found = fraction(discount);
  const rate = found && found.over !== 0n ? 100 * quotient({ over: found.under - found.over, under: found.over }) : Infinity;
  return Number.isFinite(rate) ? `${decimal(Number(rate.toPrecision(4)))}%` : "∞";
}

/** The discount that a person has typed: a factor, or a rate where rates are shown. An error in words otherwise. */
export function typedDiscount(typed: string, unit: "factor" | "rate"): { discount: string } | { error: string } {
  const isRate = unit === "rate" || typed.includes("%");
  const discount = isRate ? discountOfRate(typed) : typed.trim();
  const found = discount === null ? null : fraction(discount);
  if (discount === null || !found) return { error: isRate ? "a rate such as 3% or 0.03" : "a number such as 2/3 or 0.95" };
  if (found.over < 0n || found.over >= found.under) return { error: "a discount that is at least 0 and below 1" };
  return { discount };
}
