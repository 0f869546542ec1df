// Downloads: the model, the answer, its proof, its pictures, a report to print.

import { file } from "./api";
import { question, type State } from "./state";

type Kind = [label: string, path: string, body: object, name: string];

/** The questions that the map and the front on the page answer, and whether the plan is compared with others. */
export interface Drawn {
  isCompared: boolean;
  map: { path: string; body: object } | null;
  front: object | null;
}

function kinds(state: State, drawn: Drawn): Kind[] {
  const base = state.name.replace(/[^\w.-]+/g, "-") || "model";
  const picture = (what: string, kind: string, more: object = {}): Kind[] =>
    ["svg", "png", "pdf"].map((ending) => [`${what} (${ending.toUpperCase()})`, "/api/picture", { kind, ending, ...more }, `${base}-${kind}.${ending}`]);
  return [
    ["Model with the sliders in it (YAML)", "/api/model", {}, `${base}.yaml`],
    ["Solution (JSON)", "/api/solve", {}, `${base}.json`],
    ["Table (CSV)", "/api/csv", {}, `${base}.csv`],
    ...(drawn.isCompared ? [["Comparison (CSV)", "/api/csv", { kind: "comparison" }, `${base}-comparison.csv`] as Kind] : []),
    ["Strategy (JSON)", "/api/strategy", {}, `${base}.strategy.json`],
    ["Certificate", "/api/certificate", {}, `${base}.cert`],
    ...picture("Timeline", "timeline"),
    ...picture("Payoffs over time", "payoffs"),
    ...picture("Who gains, who pays", "gains"),
    // What boundaries take too long for is downloaded as the sketch that the page shows.
    ...(drawn.map ? picture("Strategy map", drawn.map.path === "/api/sketch" ? "sketch" : "map", drawn.map.body) : []),
    ...(drawn.map ? [["Strategy map (JSON)", drawn.map.path, drawn.map.body, `${base}-map.json`] as Kind] : []),
    ...(drawn.front ? picture("Front", "front", drawn.front) : []),
    ...(drawn.front ? [["Front (CSV)", "/api/csv", { kind: "front", ...drawn.front }, `${base}-front.csv`] as Kind] : []),
  ];
}

/** Fills the list of files; a choice downloads one, and `say` says how far it is. The result fills it again, for another model. */
export function fillFiles(select: HTMLSelectElement, state: () => State, drawn: () => Drawn, say: (text: string) => void): () => void {
  let filled = "";
  const fill = () => {
    const names = ["Model as it is typed (YAML)", ...kinds(state(), drawn()).map(([label]) => label), "Graph (SVG)"];
    // A list that is open keeps its place.
    if (filled === String(names)) return;
    filled = String(names);
    select.replaceChildren(new Option("Download …", ""), ...names.map((name) => new Option(name, name)));
  };
  fill();
  select.addEventListener("change", () => {
    const chosen = select.value;
    select.value = "";
    void download(chosen, state(), drawn(), say);
  });
  return fill;
}

async function download(chosen: string, state: State, drawn: Drawn, say: (text: string) => void): Promise<void> {
  if (chosen === "Model as it is typed (YAML)") return save(new Blob([state.model], { type: "text/yaml" }), `${state.name || "model"}.yaml`);
  if (chosen === "Graph (SVG)") return saveGraph(state);
  const kind = kinds(state, drawn).find(([label]) => label === chosen);
  if (!kind) return;
  const [, path, body, name] = kind;
  say(`${chosen} is computed …`);
  const found = await file(path, { ...question(state), ...body });
  if (found instanceof Blob) {
    save(found, name);
    say(`${chosen}: downloaded as ${name}.`);
  } else say(`${chosen}: ${found.message}.`);
}

function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** The graph as it stands on the page, with its colours written into it. */
function saveGraph(state: State): void {
  const shown = document.querySelector<SVGSVGElement>("svg.graph");
  if (!shown) return;
  const copy = shown.cloneNode(true) as SVGSVGElement;
  const pairs = [[shown, copy] as const, ...[...shown.querySelectorAll("*")].map((from, at) => [from, copy.querySelectorAll("*")[at]!] as const)];
  for (const [from, to] of pairs) {
    const style = getComputedStyle(from);
    for (const property of ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-family", "font-size", "font-weight"]) {
      (to as SVGElement).style.setProperty(property, style.getPropertyValue(property));
    }
  }
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  save(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }), `${state.name || "model"}-graph.svg`);
}

/** Opens the program's report of this model in a page of its own, to be printed. */
export async function openReport(state: State, say: (text: string) => void): Promise<void> {
  const page = window.open("", "_blank");
  say("The report is computed …");
  const found = await file("/api/report", { ...question(state), name: state.name });
  if (!(found instanceof Blob)) {
    page?.close();
    return say(`The report: ${found.message}.`);
  }
  say("The report is there.");
  const address = URL.createObjectURL(found);
  if (page) page.location.href = address;
  else save(found, `${state.name || "model"}-report.html`);
}
