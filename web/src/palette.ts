// The colours of the program's own pictures. Those of series live in style.css, one set for light and one for dark paper.

const SERIES = 8;

/** The colour of a series; the first is the welfare's, then each principal's. */
export function series(index: number): string {
  return `var(--series-${index % SERIES})`;
}

/** The colour of a principal by its place in the model. */
export function ofPrincipal(index: number): string {
  return series(index + 1);
}

/** The shade of a region of a map: from pale to dark, the hue turning, so that the order can be told without colours too. */
export function shade(index: number, count: number): string {
  const step = Math.min(0.07, (0.93 - 0.38) / Math.max(1, count - 1));
  return `oklch(${(0.93 - step * index).toFixed(3)} 0.1 ${(95 + 80 * index) % 360})`;
}

/** The colour of what has none of its own. */
export const REST = "rgb(128 134 140)";

/** Which colour each action has, by the order in which they are met: the same in timeline, graph and legend. */
export class Actions {
  private readonly known = new Map<string, number>();

  colour(action: string): string {
    let index = this.known.get(action);
    if (index === undefined) {
      index = this.known.size;
      this.known.set(action, index);
    }
    return series(index);
  }

  names(): string[] {
    return [...this.known.keys()];
  }
}
