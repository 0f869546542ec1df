// The answer: the welfare, what to do now, and the payoffs.

import { planned } from "./decisions";
import type { Principal, View } from "./documents";
import { el, listed, rove, table } from "./dom";
import { isCost, ON_COSTS, titled } from "./principals";
import { minus, plain, shown, shownSigned, stepText } from "./numbers";

export function drawAnswer(place: HTMLElement, view: View): void {
  const { solution, model } = view;
  const answer = solution.states[solution.start]!;
  // What is done at once stands out.
  const now = planned(view, (action, at) => (at === 0 ? el("strong", {}, action) : action));
  const claim = solution.status
    ? `Stopped (${solution.reason}): the welfare lies between bounds.`
    : solution.engine === "exact"
      ? solution.checked
        ? "Optimal; an independent checker accepts it."
        : solution.principals.some((principal) => principal.approximation)
          ? "Optimal for the mixtures that approximate preferences; the bounds include their error."
          : "Optimal, in exact fractions."
      : "Proven in doubles, rounding errors included.";
  // A number breaks only where there is nothing else to do.
  const tile = (number: Node | string, what: string) => {
    const length = (typeof number === "string" ? number : (number.textContent ?? "")).length;
    return el("li", {}, el("strong", { class: length > 28 ? "longest" : length > 12 ? "long" : "" }, number), el("span", {}, what));
  };
  const row = (principal: Principal) => {
    const gets = answer.payoffs[principal.name]!;
    const longTerm = answer.long_term_payoffs?.[principal.name];
    const own = answer.own_best?.[principal.name];
    return [
      titled(principal),
      principal.stated,
      ...(isWeighted ? [plain(principal.weight)] : []),
      shown(gets),
      longTerm ? shownSigned(minus(gets, longTerm)) : "",
      own ? shownSigned(minus(gets, own)) : "",
    ];
  };
  const isWeighted = model.principals.some((principal) => principal.weight !== "1");
  const head = ["principal", model.principals.every((one) => one.discount !== null && !one.is_rate) ? "discount" : "preference", ...(isWeighted ? ["weight"] : []), "gets", "vs long-term", "vs own best"];
  const found = table(head, model.principals.map(row), "Who gets what");
  // Five columns of more than that are wider than a phone.
  const isLong = [...found.querySelectorAll("td")].some((cell) => (cell.textContent ?? "").length > 11);
  place.replaceChildren(
    el("p", { class: "now" }, `What to do now, in ${solution.start}: `, ...now),
    el(
      "ul",
      { class: "tiles" },
      tile(shown(answer.welfare), `welfare from ${solution.start}`),
      tile(shown(answer.long_term_welfare), solution.long_term === "proven" ? "of the long-term strategy" : "of the strategy of the tail, assumed to be the long-term one"),
      tile(stepText(answer.memory), `memory, in ${model.step}s`),
      tile(stepText(solution.horizon), `horizon, in ${model.step}s`),
    ),
    el("p", { class: "note" }, claim),
    el("div", { class: "scroll" }, isLong ? listed(found) : found),
    el("p", { class: "note" }, model.principals.some(isCost) ? ON_COSTS : ""),
  );
  rove(place, ".number");
}
