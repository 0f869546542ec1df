// Two axes with ticks, for charts of curves and points.

import { svg, textWidth } from "./dom";
import { decimal } from "./numbers";

export interface Plane {
  drawing: SVGSVGElement;
  x: (value: number) => number;
  y: (value: number) => number;
  /** The inverse of the two. */
  at: (event: MouseEvent) => [number, number];
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Round numbers that cut a range into a few parts; none of a range without extent. */
export function ticks(from: number, to: number, most: number): number[] {
  const raw = (to - from) / Math.max(1, most);
  if (!(raw > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(raw));
  const unit = [1, 2, 5, 10].map((factor) => factor * power).find((unit) => unit >= raw) ?? raw;
  const first = Math.ceil(from / unit - 1e-9);
  const count = Math.floor(to / unit + 1e-9) - first + 1;
  return Array.from({ length: Math.max(0, Math.min(count, 2 * most + 2)) }, (_, at) => (first + at) * unit);
}

/** An empty plane over these ranges, whose ticks are told as decimals or as `told` says. */
export function plane(
  size: { width: number; height: number },
  ranges: { x: [number, number]; y: [number, number] },
  labels: { x: string; y: string; title: string; description: string },
  told: (value: number) => string = decimal,
): Plane {
  const { width, height } = size;
  const yTicks = ticks(...ranges.y, height / 50);
  // Digits are wider than letters are on average.
  const left = 30 + Math.max(0, ...yTicks.map((tick) => textWidth(told(tick), 15)));
  const xTicks = ticks(...ranges.x, (width - left) / 70);
  // The last label stands in the middle below its tick.
  const [right, top, bottom] = [width - Math.max(12, textWidth(told(xTicks.at(-1) ?? 0), 13) / 2), 10, height - 44];
  const x = (value: number) => left + ((value - ranges.x[0]) / (ranges.x[1] - ranges.x[0] || 1)) * (right - left);
  const y = (value: number) => bottom - ((value - ranges.y[0]) / (ranges.y[1] - ranges.y[0] || 1)) * (bottom - top);
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img" });
  drawing.append(svg("title", {}, labels.title), svg("desc", {}, labels.description));
  for (const tick of yTicks) {
    drawing.append(svg("path", { class: "grid", d: `M${left} ${y(tick)}H${right}` }));
    drawing.append(svg("text", { class: "mute", x: left - 6, y: y(tick) + 4.5, "text-anchor": "end" }, told(tick)));
  }
  for (const tick of xTicks) {
    drawing.append(svg("path", { class: "axis", d: `M${x(tick)} ${bottom}v5` }));
    drawing.append(svg("text", { class: "mute", x: x(tick), y: bottom + 19, "text-anchor": "middle" }, told(tick)));
  }
  drawing.append(svg("path", { class: "axis", d: `M${left} ${bottom}H${right}` }));
  drawing.append(svg("text", { class: "ink", x: (left + right) / 2, y: height - 7, "text-anchor": "middle" }, labels.x));
  const middle = (top + bottom) / 2;
  drawing.append(svg("text", { class: "ink", x: 12, y: middle, "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` }, labels.y));
  const at = (event: MouseEvent): [number, number] => {
    const box = drawing.getBoundingClientRect();
    const px = ((event.clientX - box.left) / box.width) * width;
    const py = ((event.clientY - box.top) / box.height) * height;
    const along = (px - left) / (right - left);
    const up = (bottom - py) / (bottom - top);
    return [ranges.x[0] + along * (ranges.x[1] - ranges.x[0]), ranges.y[0] + up * (ranges.y[1] - ranges.y[0])];
  };
  return { drawing, x, y, at, left, right, top, bottom };
}

/** The least and the greatest of some numbers, with a little room around them. Numbers that differ only by rounding are one. */
export function range(values: number[], share = 0.06): [number, number] {
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) return [0, 1];
  const [least, greatest] = [Math.min(...finite), Math.max(...finite)];
  const size = Math.max(Math.abs(least), Math.abs(greatest));
  const room = (greatest - least > 1e-9 * size ? greatest - least : size) * share || 1;
  return [least - room, greatest + room];
}
