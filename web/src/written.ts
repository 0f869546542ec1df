// The principals' entries in the text of a model, as far as it must be known whether one of them was edited. The server reads models;
// the page only looks where an entry begins and ends, also in a text that is being typed.

/** The text of each principal's entry, without comments and spaces. */
export function entries(model: string): Map<string, string> {
  const text = model.replace(/(^|\s)#.*$/gm, "");
  const key = /^["']?principals["']?[ \t]*:/m.exec(text) ?? /[{,]\s*["']?principals["']?\s*:/.exec(text);
  if (!key) return new Map();
  const rest = text.slice(key.index + key[0].length);
  return new Map((/^\s*\{/.test(rest) ? inBraces(rest) : inLines(rest)).flatMap(named));
}

/** An entry as its name and the rest of it. */
function named(entry: string): [string, string][] {
  const found = /^\s*(?:"([^"]*)"|'([^']*)'|([^:]*?))\s*:([^]*)$/.exec(entry);
  return found ? [[found[1] ?? found[2] ?? found[3]!, found[4]!.replace(/\s+/g, " ").trim()]] : [];
}

/** What stands between the commas of the first pair of braces. */
function inBraces(text: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const letter of text) {
    if ("{[".includes(letter) && depth++ === 0) continue;
    if ("}]".includes(letter) && --depth === 0) break;
    if (letter === "," && depth === 1) parts.push("");
    else if (depth > 0) parts[parts.length - 1] += letter;
  }
  return parts;
}

/** The lines below a key, those that are indented further with the one before them. */
function inLines(text: string): string[] {
  const indented = (line: string) => line.length - line.trimStart().length;
  const lines = text.split("\n").slice(1).filter((line) => line.trim());
  const end = lines.findIndex((line) => indented(line) === 0);
  const own = end < 0 ? lines : lines.slice(0, end);
  const parts: string[] = [];
  for (const line of own) {
    if (indented(line) <= indented(own[0]!)) parts.push(line);
    else parts[parts.length - 1] += `\n${line}`;
  }
  return parts;
}
