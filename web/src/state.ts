// The state of the page. It is stored in the address, so that a link shows the same page.

import type { View } from "./documents";

export interface State {
  name: string;
  model: string;
  /** What the sliders say in place of the model. */
  discounts: Record<string, string>;
  weights: Record<string, string>;
  /** By principal, the numbers of its time preference that differ from the model's. */
  parameters: Record<string, Record<string, string>>;
  unit: "factor" | "rate";
  /** The step that the graph shows. */
  step: number;
  /** The state around which a large graph is drawn. */
  around: string | null;
  /** The principals of the map's and the front's axes. */
  axes: [string, string] | null;
}

export function initial(name: string, model: string): State {
  return { name, model, discounts: {}, weights: {}, parameters: {}, unit: "factor", step: 0, around: null, axes: null };
}

/** What every question begins with: a model, and what the sliders say in place of it. It never changes; a move of a slider makes another one. */
export type Question = Readonly<Pick<State, "model" | "discounts" | "weights" | "parameters">>;

/** A view with the question that it answers. The sliders, and even the model, may have changed since: what is computed further is asked
 * with this question and drawn with this view. */
export interface Shown {
  asked: Question;
  view: View;
}

export function question(state: State): Question {
  return { model: state.model, discounts: state.discounts, weights: state.weights, parameters: state.parameters };
}

/** A model with more states is asked about in doubles: fractions of thousands of digits take too long for a page. */
const FEW = 200;

/** The gap for a question about a large model; none for others. */
export function inDoubles(view: View, gap: string): { gap?: string } {
  return view.model.n_states > FEW ? { gap } : {};
}

export function isSame(one: Question, other: Question): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

const PREFIX = "#v1:";
/** A larger state is no model for this page: the server takes 8 MB. */
const MOST_BYTES = 16 << 20;

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const reader = new Blob([bytes as BlobPart]).stream().pipeThrough(stream).getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const parts: Uint8Array[] = [];
  let length = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    length += part.value.length;
    if (length > MOST_BYTES) throw new RangeError("too long");
  }
  return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
}

/** The state as the end of an address. */
export async function toFragment(state: State): Promise<string> {
  const packed = await through(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of packed) binary += String.fromCharCode(byte);
  return PREFIX + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The state that the end of an address holds; what is wrong with it, in words; null if it is no state at all. */
export async function fromFragment(fragment: string): Promise<State | string | null> {
  // A place of the page, such as the answer, is no state.
  if (fragment.length <= 1 || document.getElementById(fragment.slice(1))) return null;
  const broken = "The link is broken; perhaps it was cut off.";
  if (!fragment.startsWith(PREFIX)) return /^#v(?!1\b)\d/.test(fragment) ? "The link is from another version of this page." : broken;
  try {
    const binary = atob(fragment.slice(PREFIX.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
    const text = new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
    return checked(JSON.parse(text)) ?? broken;
  } catch (error) {
    return error instanceof RangeError ? "The link holds more than this page takes." : broken;
  }
}

/** A link may come from anybody: only what has the right form is taken. */
function checked(found: unknown): State | null {
  if (typeof found !== "object" || found === null) return null;
  const given = found as Partial<Record<keyof State, unknown>>;
  if (typeof given.model !== "string" || typeof given.name !== "string") return null;
  const state = initial(given.name, given.model);
  const texts = (entries: unknown): Record<string, string> => {
    if (typeof entries !== "object" || entries === null) return {};
    return Object.fromEntries(Object.entries(entries).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  };
  state.discounts = texts(given.discounts);
  state.weights = texts(given.weights);
  if (typeof given.parameters === "object" && given.parameters !== null) state.parameters = Object.fromEntries(Object.entries(given.parameters).map(([name, own]) => [name, texts(own)]));
  if (given.unit === "rate") state.unit = "rate";
  if (typeof given.step === "number" && Number.isSafeInteger(given.step) && given.step >= 0) state.step = given.step;
  if (typeof given.around === "string") state.around = given.around;
  const [x, y] = Array.isArray(given.axes) ? (given.axes as unknown[]) : [];
  if (typeof x === "string" && typeof y === "string") state.axes = [x, y];
  return state;
}
