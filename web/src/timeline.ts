// The actions of each state by step, as bars along the steps. Long stages without changes are drawn with a break.

import type { Step, View } from "./documents";
import { el, roomOf, short, svg, textWidth } from "./dom";
import { stepNumber, stepText } from "./numbers";
import type { Actions } from "./palette";

const ROW = 28;
const BAR = 20;
const SIZE = 13;
/** A longer stretch without a change is broken. */
const LONGEST = 16;

/** Where steps stand: breakpoints, and the room between them. */
class Axis {
  private readonly marks: { step: number; label: Step; x: number }[] = [];
  readonly breaks: number[] = [];
  readonly settled: number;

  constructor(steps: Step[], readonly left: number, readonly right: number) {
    const sorted = [...new Map(steps.map((step) => [String(step), step])).values()];
    sorted.sort((a, b) => stepNumber(a) - stepNumber(b));
    const lengths = sorted.slice(1).map((step, at) => {
      const length = stepNumber(step) - stepNumber(sorted[at]!);
      return length <= LONGEST ? length : LONGEST + Math.log2(length / LONGEST);
    });
    const total = lengths.reduce((sum, length) => sum + length, 0);
    // The part after the last change has a fifth of the width, or all of it.
    this.settled = total === 0 ? left : left + 0.8 * (right - left);
    let x = left;
    sorted.forEach((label, at) => {
      this.marks.push({ step: stepNumber(label), label, x });
      const length = lengths[at];
      if (length === undefined) return;
      const next = x + (length / total) * (this.settled - left);
      if (length > LONGEST) this.breaks.push((x + next) / 2);
      x = next;
    });
  }

  place(step: number): number {
    const at = this.marks.findLastIndex((mark) => mark.step <= step);
    const [here, next] = [this.marks[Math.max(0, at)]!, this.marks[at + 1]];
    if (next) return here.x + ((step - here.step) / (next.step - here.step)) * (next.x - here.x);
    // After the last change, a step is as wide as before it, as long as there is room.
    const unit = (this.settled - this.left) / Math.max(1, Math.min(here.step, LONGEST)) || (this.right - this.left) / 8;
    return Math.min(this.right - 6, here.x + (step - here.step) * Math.min(unit, 24));
  }

  step(x: number): number {
    const at = this.marks.findLastIndex((mark) => mark.x <= x);
    const [here, next] = [this.marks[Math.max(0, at)]!, this.marks[at + 1]];
    if (!next) return here.step;
    return Math.floor(here.step + ((x - here.x) / (next.x - here.x)) * (next.step - here.step));
  }

  labels(): { label: Step; x: number }[] {
    return this.marks;
  }
}

/** Draws the timeline; a click on a step calls `show`. */
export function drawTimeline(place: HTMLElement, view: View, actions: Actions, shownStep: number, show: (step: number) => void): void {
  const { rows, n_met, takes_turns, over_all_states } = view.timeline;
  const width = roomOf(place);
  const names = rows.map((row) => short(row.state));
  const left = 14 + Math.max(...names.map((name) => textWidth(name, SIZE)));
  const axis = new Axis([0, ...rows.flatMap((row) => row.runs.map((run) => run.from))], left, width - 8);
  const bottom = 6 + ROW * rows.length;
  const title = `What to do from ${view.solution.start}, ${view.model.step} by ${view.model.step}`;
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${bottom + 42}`, width, height: bottom + 42, role: "img" });
  drawing.append(svg("title", {}, title), svg("desc", {}, inWords(view)));
  rows.forEach((row, at) => {
    const y = 6 + ROW * at + (ROW - BAR) / 2;
    const middle = y + BAR / 2;
    drawing.append(svg("text", { class: "ink", x: left - 8, y: middle + 4.5, "text-anchor": "end" }, names[at]!));
    row.runs.forEach((run, index) => {
      const from = axis.place(stepNumber(run.from));
      const following = row.runs[index + 1];
      const to = following ? axis.place(stepNumber(following.from)) : axis.right;
      if (run.action === null) {
        drawing.append(svg("path", { class: "grid", d: `M${from} ${middle}H${to}` }));
        return;
      }
      const bar = svg("rect", { x: from, y, width: Math.max(0.5, to - from - 1), height: BAR, rx: 2, style: `fill:${actions.colour(run.action)}` });
      const until = following ? `before ${view.model.step} ${stepText(following.from)}` : "for ever";
      bar.append(svg("title", {}, `${row.state}: ${run.action} from ${view.model.step} ${stepText(run.from)}, ${until}`));
      drawing.append(bar);
      // A name stands beside a break, not across it.
      const end = Math.min(to, ...axis.breaks.filter((x) => x > from));
      if (textWidth(run.action, SIZE) + 8 <= end - from) {
        drawing.append(svg("text", { class: "onbar", x: (from + end) / 2, y: middle + 4.5, "text-anchor": "middle" }, run.action));
      }
    });
  });
  drawing.append(svg("path", { class: "axis", d: `M${left} ${bottom}H${axis.settled}` }));
  drawing.append(svg("path", { class: "axis", "stroke-dasharray": "3 3", d: `M${axis.settled} ${bottom}H${axis.right}` }));
  for (const x of axis.breaks) {
    drawing.append(svg("path", { class: "paper", d: `M${x - 4} 2h8V${bottom + 5}h-8Z` }));
    for (const dx of [-4, 4]) {
      drawing.append(svg("path", { class: "axis", d: `M${x + dx - 3} ${bottom + 5}L${x + dx + 3} ${bottom - 5}` }));
    }
  }
  const ever = "for ever →";
  let free = -Infinity;
  for (const { label, x } of axis.labels()) {
    const text = stepText(label);
    const half = textWidth(text, SIZE) / 2;
    drawing.append(svg("path", { class: "axis", "stroke-dasharray": "3 3", d: `M${x} 2V${bottom + 5}` }));
    if (x - half < free || x + half > width - 8 - textWidth(ever, SIZE)) continue;
    drawing.append(svg("text", { class: "ink", x, y: bottom + 19, "text-anchor": "middle" }, text));
    free = x + half + 6;
  }
  drawing.append(svg("text", { class: "mute", x: width - 8, y: bottom + 19, "text-anchor": "end" }, ever));
  drawing.append(svg("text", { class: "mute", x: (left + axis.settled) / 2, y: bottom + 37, "text-anchor": "middle" }, view.model.step));
  const here = axis.place(shownStep);
  drawing.append(svg("path", { class: "here", d: `M${here} 0V${bottom}` }), svg("path", { class: "here-head", d: `M${here - 5} 0h10l-5 7Z` }));
  drawing.addEventListener("click", (event) => {
    const x = ((event.clientX - drawing.getBoundingClientRect().left) / drawing.clientWidth) * width;
    if (x >= left) show(Math.max(0, axis.step(x)));
  });
  const notes: string[] = [];
  if (rows.length < n_met) notes.push(`The ${rows.length} states met first are shown, of ${n_met} that the strategy meets.`);
  else if (n_met < view.model.n_states) notes.push(`${view.model.n_states - n_met} of ${view.model.n_states} states are never met.`);
  if (takes_turns) notes.push("After the last change, states alternate.");
  if (over_all_states) notes.push("Too many steps to compute when each state can be reached: all are shown at all steps.");
  place.replaceChildren(drawing, el("p", { class: "note" }, notes.join(" ")));
}

/** The timeline for those who cannot see it. */
function inWords(view: View): string {
  const told = view.timeline.rows.slice(0, 12).map((row) => {
    const runs = row.runs.filter((run) => run.action !== null);
    return `${row.state}: ${runs.map((run) => `${run.action} from ${view.model.step} ${stepText(run.from)}`).join(", ")}`;
  });
  return told.join(". ");
}
