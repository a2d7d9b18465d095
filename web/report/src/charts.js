// Line charts by uPlot, with error bars, a readout that mouse and arrow keys move, and the colours of the page.
import uPlot from "uplot";
import uPlotStyle from "uplot/dist/uPlot.min.css";

const NUM_COLOURS = 8;
const HEIGHT_PX = 300;
// So many values of x are marked themselves, instead of round numbers.
const MAX_MARKED = 9;
// More would cover the lines.
const MAX_POINTS = 40;

const styleSheet = document.createElement("style");
styleSheet.textContent = uPlotStyle;
document.head.append(styleSheet);

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// The same series has the same colour in every chart.
const colourIndex = new Map();
function colourOf(name) {
  if (!colourIndex.has(name)) colourIndex.set(name, colourIndex.size % NUM_COLOURS);
  return css(`--series-${colourIndex.get(name)}`);
}

function formatter(unit) {
  if (unit === "percent") return (v) => `${(100 * v).toFixed(1)} %`;
  if (unit === "seconds") return (v) => `${Number(v.toPrecision(3))} s`;
  if (unit === "ms") return (v) => `${Number(v.toPrecision(3))} ms`;
  return (v) => `${Number(v.toPrecision(4))}`;
}
const tick = (unit) => (unit === "percent" ? (v) => `${+(100 * v).toFixed(1)}` : (v) => `${+v.toPrecision(4)}`);

const labelWidth = (u, labels) => Math.max(44, 16 + 7 * Math.max(0, ...(labels ?? []).map((label) => label.length)));

// uPlot wants one list of x and, for each series, one y (or null) at each of them.
function align(series) {
  const xs = [...new Set(series.flatMap((s) => s.points.map((p) => p[0])))].sort((a, b) => a - b);
  const at = new Map(xs.map((x, i) => [x, i]));
  const columns = series.map((s) => {
    const column = new Array(xs.length).fill(null);
    for (const p of s.points) column[at.get(p[0])] = p;
    return column;
  });
  return { xs, columns };
}

function drawErrorBars(u, columns, colours) {
  const { ctx } = u;
  ctx.save();
  ctx.lineWidth = Math.max(1, devicePixelRatio);
  columns.forEach((column, s) => {
    if (!u.series[s + 1].show) return;
    ctx.strokeStyle = colours[s];
    ctx.beginPath();
    for (const p of column) {
      if (!p || p.length < 4) continue;
      const x = u.valToPos(p[0], "x", true);
      ctx.moveTo(x, u.valToPos(p[2], "y", true));
      ctx.lineTo(x, u.valToPos(p[3], "y", true));
    }
    ctx.stroke();
  });
  ctx.restore();
}

// A chart in `host`, redrawn when its width or the colours of the page change.
class Chart {
  constructor(host, spec) {
    this.host = host;
    this.spec = spec;
    this.hidden = new Set();
    this.frame = document.createElement("div");
    this.frame.className = "plot";
    this.frame.tabIndex = 0;
    this.frame.setAttribute("role", "img");
    this.frame.setAttribute("aria-label", `Chart: ${spec.title}. Arrow keys read the values.`);
    this.legend = document.createElement("p");
    this.legend.className = "plot-legend";
    this.readout = document.createElement("output");
    this.readout.className = "plot-readout";
    this.readout.setAttribute("aria-live", "polite");
    host.append(this.frame, this.legend, this.readout);
    this.frame.addEventListener("keydown", (event) => this.onKey(event));
    this.draw();
    new ResizeObserver(() => {
      const width = this.frame.clientWidth;
      if (this.plot && width > 0 && width !== this.plot.width) this.plot.setSize({ width, height: HEIGHT_PX });
    }).observe(this.frame);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    // Paper is white, whatever the screen is.
    addEventListener("beforeprint", () => this.draw());
    addEventListener("afterprint", () => this.draw());
  }

  show(name, shown) {
    if (shown) this.hidden.delete(name);
    else this.hidden.add(name);
    this.draw();
  }

  setSpec(spec) {
    this.spec = spec;
    this.draw();
  }

  draw() {
    this.plot?.destroy();
    const { spec } = this;
    const { xs, columns } = align(spec.series);
    const colours = spec.series.map((s) => colourOf(s.name));
    const axis = { stroke: css("--dim"), grid: { stroke: css("--rule"), width: 1 }, ticks: { stroke: css("--rule") }, font: "12px system-ui, sans-serif" };
    const log = spec.log && xs.every((x) => x > 0);
    // The filter of logarithmic axes would leave only powers of ten.
    const marks = xs.length <= MAX_MARKED && !spec.xRange ? { splits: () => xs, filter: (u, splits) => splits } : {};
    this.columns = columns;
    this.plot = new uPlot(
      {
        width: Math.max(this.frame.clientWidth, 240),
        height: HEIGHT_PX,
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { size: 9 } },
        scales: {
          x: { time: false, distr: log ? 3 : 1, range: spec.xRange ?? ((u, low, high) => this.xRange(low, high, log)) },
          y: spec.yRange ? { range: spec.yRange } : { range: (u, low, high) => this.yRange(low, high) },
        },
        axes: [
          { ...axis, ...marks, label: spec.x, labelFont: axis.font, labelSize: 20, values: (u, ticks) => ticks.map((v) => (v === null ? "" : tick("")(v))) },
          { ...axis, label: spec.unit === "percent" ? `${spec.y} in %` : spec.y, labelFont: axis.font, labelSize: 20, size: labelWidth, values: (u, ticks) => ticks.map((v) => (v === null ? "" : tick(spec.unit)(v))) },
        ],
        series: [
          {},
          ...spec.series.map((s, i) => ({
            label: s.name,
            stroke: colours[i],
            width: 2,
            dash: s.paper ? [6, 5] : undefined,
            show: !this.hidden.has(s.name),
            spanGaps: true,
            points: { show: spec.points !== false && xs.length <= MAX_POINTS, size: 7, fill: s.paper ? css("--page") : colours[i] },
          })),
        ],
        hooks: { draw: [(u) => drawErrorBars(u, columns, colours)], setCursor: [(u) => this.read(u.cursor.idx)] },
      },
      [xs, ...columns.map((column) => column.map((p) => (p ? p[1] : null)))],
      this.frame,
    );
    this.drawLegend(colours);
    this.read(null);
  }

  xRange(low, high, log) {
    if (low === high) return log ? [low / 2, high * 2] : [low - 1, high + 1];
    if (log) {
      const pad = (high / low) ** 0.04;
      return [low / pad, high * pad];
    }
    const pad = 0.04 * (high - low);
    return [low - pad, high + pad];
  }

  yRange(low, high) {
    let [least, most] = [low ?? 0, high ?? 1];
    this.columns.forEach((column, s) => {
      if (this.hidden.has(this.spec.series[s].name)) return;
      for (const p of column) {
        if (!p || p.length < 4) continue;
        least = Math.min(least, p[2]);
        most = Math.max(most, p[3]);
      }
    });
    const pad = 0.06 * (most - least) || 0.05 * Math.abs(most) || 1;
    return [least - pad, most + pad];
  }

  drawLegend(colours) {
    this.legend.replaceChildren(
      ...this.spec.series.flatMap((s, i) => {
        if (this.hidden.has(s.name)) return [];
        const entry = document.createElement("span");
        const swatch = document.createElement("i");
        swatch.style.borderTop = `3px ${s.paper ? "dashed" : "solid"} ${colours[i]}`;
        entry.append(swatch, s.paper ? `${s.name} (paper)` : s.name);
        return [entry];
      }),
    );
  }

  // The values at a place of the x axis, as text.
  read(index) {
    if (index === null || index === undefined) {
      this.readout.textContent = "";
      return;
    }
    const show = formatter(this.spec.unit);
    const parts = this.spec.series.flatMap((s, i) => {
      const p = this.columns[i][index];
      if (!p || this.hidden.has(s.name)) return [];
      const interval = p.length < 4 ? "" : ` (${show(p[2])} to ${show(p[3])})`;
      return [`${s.name}${s.paper ? " (paper)" : ""} ${show(p[1])}${interval}`];
    });
    const x = this.plot.data[0][index];
    this.readout.textContent = `${this.spec.x} ${+x.toPrecision(4)}: ${parts.join("; ")}`;
  }

  onKey(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const xs = this.plot.data[0];
    const from = this.plot.cursor.idx ?? (step > 0 ? -1 : xs.length);
    const index = Math.min(Math.max(from + step, 0), xs.length - 1);
    this.plot.setCursor({ left: this.plot.valToPos(xs[index], "x"), top: 10 });
  }
}

export function drawCurves(curves) {
  return curves.map((curve, k) => {
    const figure = document.querySelector(`[data-chart="${k}"]`);
    const host = document.createElement("div");
    figure.querySelector("figcaption").after(host);
    // The table of values is there for everyone; with a chart above it, it can wait.
    figure.querySelector("details").open = false;
    return new Chart(host, curve);
  });
}

// The mean over classes if no class is chosen.
function rankCurve(perClass, chosen) {
  if (chosen >= 0) return perClass[chosen];
  const known = perClass.filter((curve) => curve !== null);
  if (known.length === 0) return null;
  return known[0].map((unused, g) => known.reduce((sum, curve) => sum + curve[g], 0) / known.length);
}

function rankSpec(rankings, kind, chosen) {
  const roc = kind === "roc";
  return {
    title: roc ? "ROC" : "Precision against recall",
    x: roc ? "False positive rate" : "Recall",
    y: roc ? "True positive rate" : "Precision",
    unit: "",
    points: false,
    xRange: [0, 1],
    yRange: [0, 1.02],
    series: rankings.methods.flatMap((method) => {
      const curve = rankCurve(method[kind], chosen);
      if (curve === null) return [];
      return [{ name: method.series, paper: false, points: curve.map((v, g) => [g / (curve.length - 1), v]) }];
    }),
  };
}

export function drawRankings(rankings) {
  const place = document.getElementById("rank-charts");
  if (!place || rankings.methods.length === 0) return [];
  const label = document.createElement("label");
  const select = document.createElement("select");
  select.append(new Option("mean over classes", "-1"), ...rankings.classes.map((name, c) => new Option(name, c)));
  label.append("Class ", select);
  const grid = document.createElement("div");
  grid.className = "charts";
  place.append(label, grid);
  const charts = ["roc", "pr"].map((kind) => {
    const figure = document.createElement("figure");
    figure.className = "chart";
    const caption = document.createElement("figcaption");
    caption.textContent = rankSpec(rankings, kind, -1).title;
    figure.append(caption);
    grid.append(figure);
    return { kind, chart: new Chart(figure, rankSpec(rankings, kind, -1)) };
  });
  select.addEventListener("change", () => {
    for (const { kind, chart } of charts) chart.setSpec(rankSpec(rankings, kind, Number(select.value)));
  });
  return charts.map(({ chart }) => chart);
}
