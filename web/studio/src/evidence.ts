// What in a picture speaks for a class: drawn over it, and in words.
import { element, withAttributes } from "./dom";
import type { Explanation } from "./server";

const ORANGE = [190, 90, 10], BLUE = [51, 123, 208];

// The colours of muster explain: orange speaks for the class, blue against it; colour-blind people tell them apart, too.
export function drawEvidence(map: NonNullable<Explanation["map"]>): HTMLCanvasElement {
  const canvas = element("canvas", { width: map.cols, height: map.rows, className: "evidence" });
  const most = Math.max(...map.values.map(Math.abs)) || 1;
  const pixels = new ImageData(map.cols, map.rows);
  map.values.forEach((value, i) => {
    pixels.data.set([...(value > 0 ? ORANGE : BLUE), (230 * Math.abs(value)) / most], 4 * i);
  });
  canvas.getContext("2d")?.putImageData(pixels, 0, 0);
  return withAttributes(canvas, { "aria-hidden": "true" });
}

// Where the evidence lies.
export function describeEvidence({ class: name, strongest_for: patches = [] }: Explanation): string {
  const side = (x: number, low: string, high: string) => (x < 1 / 3 ? low : x > 2 / 3 ? high : "middle");
  const places = [...new Set(patches.map(({ x, y }) => `${side(y, "top", "bottom")} ${side(x, "left", "right")}`.replace("middle middle", "middle")))];
  return places.length > 0 ? `Speaks for ${name} (orange), the strongest first: ${places.join(", ")}. Blue speaks against it.` : "";
}
