// The explorer: a model, sliders, and the panels that depend on them.

import { drawAnswer } from "./answer";
import { type Answer, ask, Latest } from "./api";
import { ComparePanel, isCompared } from "./compare";
import type { Entry, Mistake, View } from "./documents";
import { byId, el, steadily } from "./dom";
import { Editor } from "./editor";
import { drawExplanation } from "./explain";
import { fillFiles, openReport } from "./files";
import { FrontPanel } from "./front";
import { GraphPanel } from "./graph";
import { MapPanel } from "./map";
import { stepNumber } from "./numbers";
import { Actions } from "./palette";
import { drawPayoffs } from "./payoffs";
import { Run } from "./run";
import { Sliders } from "./sliders";
import { fromFragment, initial, isSame, type Question, question, type Shown, type State, toFragment } from "./state";
import { drawTimeline } from "./timeline";
import { entries } from "./written";

/** What the page came with. */
interface Opened {
  name: string;
  model: string;
  gallery: Entry[];
  view: View | null;
}

/** How long the hands must rest before the text is read, and before what takes longer is computed. */
const REST_TYPING = 300;
const REST_SLIDING = 250;
/** Longer links are cut off by some mail programs and chats. */
const LONG_LINK = 8000;

const opened: Opened = JSON.parse(byId("opened").textContent ?? "null");
let state: State = initial(opened.name, opened.model);
/** What the page shows: the last view that came, with the question that it answers. */
let shown: Shown | null = null;
let actions = new Actions();
/** Marks the number that was set last as refused, if it has a slider. */
let refuse: ((why: string) => void) | null = null;
/** The text as it was opened. */
let untouched = state.model;
/** The principals' entries, as the text had them last. */
let written = entries(state.model);
/** Whether the text was typed since it was opened: then its errors are where the reader is. */
let isTyped = false;

const editor = new Editor((text) => {
  state.model = text;
  isTyped = true;
  mindEntries(text);
  byId("wrong").hidden = true;
  // An example that was changed is no longer that example; a file stays that file.
  const same = opened.gallery.find((entry) => entry.model === text);
  if (same) state.name = same.name;
  else if (opened.gallery.some((entry) => entry.name === state.name)) state.name = "model";
  after("typing", REST_TYPING, refresh);
});
const sliders = new Sliders(byId("sliders"), (change) => {
  const { name, text } = change;
  if (change.kind === "weight") state.weights = { ...state.weights, [name]: text };
  else if (change.kind === "discount") state.discounts = { ...state.discounts, [name]: text };
  else {
    const { [name]: _replaced, ...others } = state.discounts;
    state.discounts = others;
    state.parameters = { ...state.parameters, [name]: { ...state.parameters[name], [change.parameter]: text } };
  }
  refuse = change.refuse;
  refresh();
});
const graph = new GraphPanel(byId("graph"), (name) => {
  state.around = name;
  byId("around-told").textContent = "";
  drawSteps();
  remember();
});
const map = new MapPanel(byId("map"), byId("map-status"), ({ model }, discounts) => {
  // A map of the model before has nothing to say about this one.
  if (model !== state.model) return;
  const before = state.discounts;
  // A preference that is more than a single discount is lost with the click: one more click brings it back.
  const lost = (shown?.view.model.principals ?? []).filter((principal) => principal.discount === null && principal.name in discounts);
  state.discounts = { ...before, ...discounts };
  refuse = null;
  refresh();
  if (lost.length === 0) return;
  const told = lost.map((principal) => `${principal.name} has a single discount now, in place of ${principal.stated}.`);
  offerUndo("map-undo", told.join(" "), () => {
    state.discounts = before;
    refresh();
  });
});
const front = new FrontPanel(byId("front"), byId("front-status"), byId("compromise"), ({ model }, weights) => {
  if (model !== state.model) return;
  state.weights = weights;
  refuse = null;
  refresh();
});
const compare = new ComparePanel(byId("compare"), byId("compare-status"));
const run = new Run(graph, byId("run-told"), byId<HTMLButtonElement>("run"), (step) => showStep(step));
const live = new Latest<{ asked: Question; answer: Answer<View> }>(({ asked, answer }) => received(asked, answer));

/** Does something once its time has come, unless it is asked for again before. */
const timers = new Map<string, number>();
function after(name: string, wait: number, work: () => void): void {
  window.clearTimeout(timers.get(name));
  const act = () => {
    timers.delete(name);
    work();
    tellRest();
  };
  timers.set(name, window.setTimeout(act, wait));
  tellRest();
}

/** The panels that are being computed. */
const pending = new Set<Promise<void>>();
function follow(work: Promise<void>): void {
  pending.add(work);
  void work.finally(() => {
    pending.delete(work);
    tellRest();
  });
}

/** Says on the page whether it is at rest: nothing is asked, and nothing will be drawn until somebody does something. */
function tellRest(): void {
  const isComing = [...timers.keys()].some((name) => name !== "remember");
  document.body.dataset.rests = String(!isComing && pending.size === 0 && !document.body.classList.contains("asking"));
}

/** Asks for the view of the present state. */
function refresh(): void {
  document.body.classList.add("asking");
  window.clearTimeout(timers.get("panels"));
  timers.delete("panels");
  tellRest();
  front.cancel();
  compare.cancel();
  const asked = question(state);
  live.ask(async () => ({ asked, answer: await ask<View>("/api/view", asked) }));
  remember();
}

/** Takes an answer. One of another model than the present one is dropped; one of other sliders is drawn, as the next is on its way. */
function received(asked: Question, answer: Answer<View>): void {
  const isPresent = isSame(asked, question(state));
  if (!isPresent && asked.model !== state.model) return;
  // Bounds alone, of a view whose time was over, are no view.
  const found = answer.data?.timeline ? answer.data : null;
  if (!isPresent) {
    if (found) accept({ asked, view: found });
    return;
  }
  document.body.classList.remove("asking");
  if (found) accept({ asked, view: found });
  else if (!answer.ok) refused(asked, answer.status, answer.error);
  refuse = null;
}

function refused(asked: Question, status: number, mistake: Mistake): void {
  if (status !== 422 || mistake.line !== null || setOnes(asked).size === 0) {
    showMistake(cured(mistake, asked.model));
    document.body.classList.add("stale");
    tellRest();
    return;
  }
  // A mistake without a line is one of the sliders' numbers, not of the text. The name of the API's key says nothing here.
  const why = `${mistake.message.replace(/^`\w+`: /, "")}${mistake.help ? `; ${mistake.help}` : ""}`;
  if (shown?.asked.model === asked.model) {
    // The page goes on with the numbers that were taken last.
    [state.discounts, state.weights, state.parameters] = [shown.asked.discounts, shown.asked.weights, shown.asked.parameters];
    if (refuse) refuse(why);
    else say(`Not taken: ${why}.`);
    drawSliders();
    remember();
    after("panels", REST_SLIDING, drawPanels);
  } else {
    // The text has other principals now, or other preferences.
    asWritten();
    say(`The sliders are as the model has it again: ${why}.`);
    refresh();
  }
}

/** Marks a mistake in the text. The one of a text that was just opened is told at the top too: the text may be out of view. */
function showMistake(mistake: Mistake | null): void {
  editor.show(mistake);
  const top = byId("wrong");
  top.hidden = !mistake || isTyped;
  if (!mistake || isTyped) return top.replaceChildren();
  const rest = shown ? " What is shown is still the model before." : "";
  top.replaceChildren(`${state.name} has an error: ${editor.told()}${rest} `, el("button", { type: "button", click: () => editor.go() }, "Show the place"));
}

/** A mistake with a cure for readers of this page; the server's is for programs. */
function cured(mistake: Mistake, model: string): Mistake {
  if (!/^\s*@/.test(model)) return mistake;
  const names = /^@reward_models\s+([^@]*)/m.exec(model)?.[1]?.trim().split(/\s+/).filter(Boolean) ?? [];
  const discounts = (names.length > 0 ? names : ["NAME"]).map((name) => `--discount ${name}=…`).join(" ");
  return { ...mistake, help: `such a file has no discounts; start the program with it: commonweal serve FILE.drn ${discounts}` };
}

function accept(found: Shown): void {
  document.body.classList.remove("stale");
  showMistake(null);
  if (shown?.asked.model !== found.asked.model) {
    for (const panel of [map, front, compare]) panel.forget();
    for (const id of ["map-undo", "around-told"]) byId(id).replaceChildren();
  }
  shown = found;
  suit(found.view);
  actions = new Actions();
  for (const row of found.view.timeline.rows) for (const run of row.runs) if (run.action !== null) actions.colour(run.action);
  run.reset(found.view);
  draw();
  after("panels", REST_SLIDING, drawPanels);
}

/** Lets the model's own numbers count again. */
function asWritten(): void {
  [state.discounts, state.weights, state.parameters] = [{}, {}, {}];
  sliders.reset();
}

/** The principals for which the sliders say something in place of the model. */
function setOnes({ discounts, weights, parameters }: Question): Set<string> {
  return new Set([discounts, weights, parameters].flatMap((own) => Object.keys(own)));
}

/** A number that is edited in the text counts: what the sliders say in its place is dropped. An entry that is gone may come back. */
function mindEntries(text: string): void {
  const found = entries(text);
  const edited = [...setOnes(state)].filter((name) => found.has(name) && written.has(name) && found.get(name) !== written.get(name));
  written = new Map([...written, ...found]);
  if (edited.length === 0) return;
  const others = <T>(own: Record<string, T>) => Object.fromEntries(Object.entries(own).filter(([name]) => !edited.includes(name)));
  [state.discounts, state.weights, state.parameters] = [others(state.discounts), others(state.weights), others(state.parameters)];
  sliders.reset();
  say(`${edited.join(" and ")} ${edited.length === 1 ? "is" : "are"} as the text says now; what the sliders said in its place is dropped.`);
}

/** The two principals of the map and of the front. */
function axes(): [string, string] | null {
  const names = shown?.view.model.principals.map((principal) => principal.name) ?? [];
  if (state.axes && state.axes.every((axis) => names.includes(axis)) && state.axes[0] !== state.axes[1]) return state.axes;
  return names.length >= 2 ? [names[0]!, names[1]!] : null;
}

/** Draws all that the view has. */
function draw(): void {
  if (!shown) return;
  const { view } = shown;
  const { model } = view;
  drawSliders();
  steadily(() => {
    byId("title").textContent = model.name ?? opened.gallery.find((entry) => entry.model === state.model)?.title ?? (state.name === "model" ? "A model" : state.name);
    byId("description").textContent = model.description ?? (opened.gallery.find((entry) => entry.model === state.model)?.description ?? "");
    drawAnswer(byId("answer"), view);
    drawSteps();
    drawPayoffs(byId("payoffs"), view);
    drawExplanation(byId("explanation"), view);
    fillAxes(view);
  });
  byId("state-names").replaceChildren(...(model.states ?? []).slice(0, 2000).map((place) => el("option", { value: place.name })));
  const both = axes();
  if (both) map.mark(shown, both, state.unit);
  files();
}

/** Shows the numbers of the view on the sliders, unless these are ahead of it. */
function drawSliders(): void {
  if (!shown || !isSame(shown.asked, question(state))) return;
  const { model } = shown.view;
  sliders.show(model.principals, state.unit, model.step);
}

/** Draws what depends on the step that is shown. */
function drawSteps(): void {
  if (!shown) return;
  const { asked, view } = shown;
  const last = Math.max(8, ...view.timeline.rows.flatMap((row) => row.runs.map((run) => stepNumber(run.from)))) + 2;
  const slider = byId<HTMLInputElement>("step");
  slider.max = String(Math.min(last, 10_000));
  slider.value = String(state.step);
  byId("step-told").textContent = `${view.model.step} ${state.step}`;
  drawTimeline(byId("timeline"), view, actions, state.step, showStep);
  graph.draw(view, actions, state.step, state.around, asked.model);
  byId<HTMLInputElement>("around").value = state.around ?? "";
  byId("around").parentElement!.hidden = !view.model.states || !graph.isPartial;
  run.remark();
}

function showStep(step: number): void {
  state.step = step;
  drawSteps();
  remember();
}

/** Draws what takes longer: map, front, comparison. */
function drawPanels(): void {
  // While a request is pending, the panels are updated by its answer. A text that is being typed may have other principals.
  if (!shown || document.body.classList.contains("asking") || timers.has("typing")) return;
  const present = shown;
  const both = axes();
  for (const id of ["map-panel", "front-panel"]) byId(id).hidden = !both;
  follow(compare.show(present));
  if (!both) {
    map.forget();
    front.forget();
    return;
  }
  const isAll = present.view.model.principals.length === 2;
  byId("front-title").textContent = isAll ? "What both can get" : `What ${both[0]} and ${both[1]} can get`;
  byId("front-note").textContent = isAll
    ? "On the front neither can gain unless the other loses. A click shows the details of a point."
    : `The line is the front of ${both[0]} and ${both[1]}, as if nobody else counted. The plan and the points of the rules serve the others too, so that they may lie inside. A click shows what everybody gets.`;
  follow(map.show(present, both, state.unit).then(() => files()));
  follow(
    front.show(present, both).then(() => {
      compare.add(present.asked, front.compromises(present.asked));
      files();
    }),
  );
}

function fillAxes(view: View): void {
  const names = view.model.principals.map((principal) => principal.name);
  const both = axes();
  byId("axes").hidden = names.length < 3;
  if (!both) return;
  for (const [at, id] of (["axis-x", "axis-y"] as const).entries()) {
    const select = byId<HTMLSelectElement>(id);
    select.replaceChildren(...names.map((name) => new Option(name, name, false, name === both[at])));
  }
}

/** Keeps the address up to date, so that it can be shared and reloaded. */
function remember(): void {
  after("remember", 400, async () => history.replaceState(null, "", await toFragment(state)));
}

function say(text: string): void {
  byId("said").textContent = text;
}

/** Says what was lost, with a button that brings it back. */
function offerUndo(id: string, told: string, undo: () => void): void {
  const place = byId(id);
  const click = () => {
    place.replaceChildren();
    undo();
  };
  place.replaceChildren(`${told} `, el("button", { type: "button", click }, "Undo"));
}

/** Whether something is lost with the present state: a text that was typed, or numbers that were set. */
function isEdited(): boolean {
  const isKnown = state.model === untouched || opened.gallery.some((entry) => entry.model === state.model);
  return !isKnown || setOnes(state).size > 0;
}

/** Opens a model. */
function open(name: string, model: string, title = name): void {
  replace(initial(name, model), title);
  isNew = true;
}

/** Puts another state in the place of the present one, and offers to bring back what was changed in that. */
function replace(next: State, title: string): void {
  const [before, isLost] = [state, isEdited()];
  untouched = next.model;
  take(next);
  say("");
  byId("undo").replaceChildren();
  if (!isLost) return;
  offerUndo("undo", `${title} is open in place of what you had changed.`, () => {
    // What was changed since is lost in turn.
    const [after, isLost] = [state, isEdited()];
    take(before);
    if (isLost) offerUndo("undo", "What you had changed is back, in place of what you changed since.", () => take(after));
    else byId("undo").textContent = "What you had changed is back.";
  });
}

/** Shows a state. */
function take(next: State): void {
  [state, written, isTyped, isNew] = [next, entries(next.model), false, false];
  window.clearTimeout(timers.get("typing"));
  timers.delete("typing");
  editor.set(state.model);
  sliders.reset();
  setUnit(state.unit);
  refresh();
}

/** Lists the files that there are of what is shown. */
let files = (): void => {};

/** A new model is shown in the unit in which it is written. */
let isNew = true;
function suit(found: View): void {
  if (isNew) setUnit(found.model.principals.some((principal) => principal.is_rate) ? "rate" : "factor");
  isNew = false;
}

function setUnit(unit: State["unit"]): void {
  state.unit = unit;
  byId<HTMLInputElement>(`unit-${unit}`).checked = true;
}

function listen(): void {
  const gallery = byId<HTMLSelectElement>("gallery");
  const groups = new Map<string, HTMLOptGroupElement>();
  for (const entry of opened.gallery) {
    const group = groups.get(entry.group) ?? el("optgroup", { label: entry.group === "paper" ? "The paper" : "Case studies" });
    groups.set(entry.group, group);
    group.append(new Option(entry.title, entry.name));
  }
  gallery.replaceChildren(new Option("Open an example …", ""), ...groups.values());
  gallery.addEventListener("change", () => {
    const entry = opened.gallery.find((entry) => entry.name === gallery.value);
    gallery.value = "";
    if (entry) open(entry.name, entry.model, entry.title);
  });
  byId<HTMLInputElement>("upload").addEventListener("change", async (event) => {
    const input = event.target as HTMLInputElement;
    const chosen = input.files?.[0];
    if (chosen) open(chosen.name.replace(/\.[^.]*$/, ""), await chosen.text(), chosen.name);
    input.value = "";
  });
  byId("unit").addEventListener("change", (event) => {
    state.unit = (event.target as HTMLInputElement).value === "rate" ? "rate" : "factor";
    drawSliders();
    drawPanels();
    remember();
  });
  byId("reset").addEventListener("click", () => {
    asWritten();
    byId("map-undo").replaceChildren();
    refresh();
  });
  byId("step").addEventListener("input", (event) => showStep(Number((event.target as HTMLInputElement).value)));
  byId("around").addEventListener("change", (event) => {
    const { value } = event.target as HTMLInputElement;
    const isKnown = !value || (shown?.view.model.states ?? []).some((place) => place.name === value);
    byId("around-told").textContent = isKnown ? "" : `There is no state “${value}”; the graph stays as it is.`;
    if (!isKnown) return;
    state.around = value || null;
    drawSteps();
    remember();
  });
  for (const [at, id] of (["axis-x", "axis-y"] as const).entries()) {
    byId<HTMLSelectElement>(id).addEventListener("change", (event) => {
      const chosen = (event.target as HTMLSelectElement).value;
      const [x, y] = axes()!;
      // The one of the other axis changes places with this one.
      if (chosen === (at === 0 ? y : x)) state.axes = [y, x];
      else state.axes = at === 0 ? [chosen, y] : [x, chosen];
      fillAxes(shown!.view);
      drawPanels();
      remember();
    });
  }
  byId("share").addEventListener("click", async () => {
    const link = location.origin + location.pathname + (await toFragment(state));
    history.replaceState(null, "", link);
    const length = link.length > LONG_LINK ? ` It has ${link.length} characters, and some programs cut that off: the model's file is safer.` : "";
    try {
      await navigator.clipboard.writeText(link);
      say(`The link is in the clipboard. Anyone who runs the explorer at the same address sees this page.${length}`);
    } catch {
      say(`The link is in the address bar.${length}`);
    }
  });
  byId("report").addEventListener("click", () => void openReport(state, say));
  files = fillFiles(byId<HTMLSelectElement>("files"), () => state, () => ({ map: map.drawn(), front: front.drawn(), isCompared: !!shown && isCompared(shown.view) }), say);
  byId("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
  });
  window.addEventListener("hashchange", async () => {
    const given = await fromFragment(location.hash);
    if (typeof given === "string") say(`${given} The page stays as it is.`);
    if (given && typeof given !== "string") replace(given, "The link");
  });
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    after("resize", 100, () => {
      draw();
      drawPanels();
    });
  });
}

async function begin(): Promise<void> {
  listen();
  // The embedded view is painted at once, unless a link has another state.
  const given = location.hash ? await fromFragment(location.hash) : null;
  if (typeof given === "string") say(`${given} The page shows what it opens with.`);
  else if (given) return replace(given, "The link");
  editor.set(state.model);
  if (opened.view) accept({ asked: question(state), view: opened.view });
  else refresh();
}

void begin();
