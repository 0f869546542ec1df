// The model's text, with errors marked at their place.

import type { Mistake } from "./documents";
import { byId, el } from "./dom";

/** A text longer than this is shown without marks behind it. */
const LONG = 200_000;

export class Editor {
  private readonly text = byId<HTMLTextAreaElement>("model");
  private readonly behind = byId("behind");
  private readonly lines = byId("lines");
  private readonly place = byId("mistake");
  private mistake: Mistake | null = null;

  constructor(changed: (text: string) => void) {
    this.text.addEventListener("input", () => {
      this.show(null);
      changed(this.text.value);
    });
    this.text.addEventListener("scroll", () => this.follow());
  }

  set(text: string): void {
    this.text.value = text;
    this.show(null);
  }

  /** Marks a mistake at its place and says how to mend it; nothing for null. */
  show(mistake: Mistake | null): void {
    this.mistake = mistake;
    const hasPlace = mistake?.line != null && mistake.column != null;
    this.text.setAttribute("aria-invalid", String(!!mistake));
    const go = hasPlace && el("button", { type: "button", click: () => this.go() }, "Go there");
    this.place.replaceChildren(
      ...(mistake
        ? [
            el("strong", {}, hasPlace ? `Line ${mistake.line}, column ${mistake.column}: ` : ""),
            mistake.message,
            mistake.help ? el("span", { class: "cure" }, ` Help: ${mistake.help}`) : "",
            go || "",
          ]
        : []),
    );
    this.place.hidden = !mistake;
    this.paint();
  }

  /** Where the mistake is and what it is, in words. */
  told(): string {
    const { line, message } = this.mistake!;
    return `${line === null ? "" : `line ${line}, `}${message}.`;
  }

  /** Shows the place of the mistake, a few lines below the upper end of the text. */
  go(): void {
    const { text } = this;
    text.focus();
    text.closest("section")!.scrollIntoView({ block: "nearest" });
    const at = this.range();
    if (!at) return;
    text.setSelectionRange(...at);
    const height = text.scrollHeight / text.value.split("\n").length;
    text.scrollTop = Math.max(0, this.mistake!.line! - 4) * height;
  }

  /** Where the mistake is, in letters from the beginning. Columns count characters, as people do. */
  private range(): [number, number] | null {
    const { line, column, length } = this.mistake ?? {};
    if (!line || !column) return null;
    const lines = this.text.value.split("\n");
    const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    const characters = [...(lines[line - 1] ?? "")];
    const start = before + characters.slice(0, column - 1).join("").length;
    const meant = characters.slice(column - 1, column - 1 + (length ?? 1)).join("").length;
    return [start, start + Math.max(1, meant)];
  }

  private paint(): void {
    const text = this.text.value;
    const count = text.split("\n").length;
    this.lines.textContent = count > 5000 ? "" : Array.from({ length: count }, (_, at) => at + 1).join("\n");
    const at = this.range();
    if (text.length > LONG || !at) this.behind.replaceChildren();
    else this.behind.replaceChildren(text.slice(0, at[0]), el("mark", {}, text.slice(...at) || " "), `${text.slice(at[1])}\n`);
    this.follow();
  }

  private follow(): void {
    this.behind.scrollTop = this.text.scrollTop;
    this.behind.scrollLeft = this.text.scrollLeft;
    this.lines.scrollTop = this.text.scrollTop;
  }
}
