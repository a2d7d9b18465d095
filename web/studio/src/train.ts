// The second column: training, and what it found.
import { button, byId, count, element, percent, say, withAttributes } from "./dom";
import { server, type Mistake, type Model, type Report, type State, type Training } from "./server";
import { act, notify, onState, onTraining, state } from "./store";

const kSteps: Record<string, string> = {
  features: "Looking at the pictures",
  mixture: "Learning what parts pictures are made of",
  "k-means": "Learning what parts pictures are made of",
  encoding: "Describing every picture by its parts",
  "Gram matrix": "Comparing pictures",
  "kernel matrix": "Comparing pictures",
  training: "Learning to tell the classes apart",
  "cross-validation": "Testing on pictures held back",
};

const effort = (): string => document.querySelector<HTMLInputElement>("input[name=effort]:checked")?.value ?? "normal";

function drawProgress(training: Training): void {
  const running = training.state === "running";
  byId("progress").hidden = !running;
  byId("stop").hidden = !running;
  byId<HTMLButtonElement>("start").disabled = running || !ready(state());
  if (!running) return;
  const bar = byId<HTMLProgressElement>("bar");
  const forecast = Number(/about (\d+) s/.exec(training.message)?.[1] ?? 0);
  if (forecast > 0) bar.value = Math.min(0.97, training.seconds / (forecast + 1));
  else bar.removeAttribute("value");
  const about = forecast > 0 ? ` of about ${forecast}` : "";
  byId("step").textContent = `${kSteps[training.step] ?? (training.step || "Starting")} · ${Math.round(training.seconds)}${about} s`;
}

const ready = (now: State | null): boolean => (now?.classes.filter((one) => one.pictures.some((p) => !p.problem)).length ?? 0) >= 2;

function hint(now: State): string {
  if (now.training.state === "failed") return `That did not work: ${now.training.message}`;
  if (!ready(now)) return "Fill two classes or more with pictures first.";
  const few = now.classes.filter((one) => one.pictures.length > 0 && one.pictures.length < 10).map((one) => one.name);
  if (now.model?.stale) return "The pictures have changed since the last training.";
  if (few.length > 0) return `15 pictures per class are a good start; ${few.join(", ")} could do with more.`;
  return now.training.state === "cancelled" ? "Stopped. The model is as it was." : "";
}

function accuracy(report: Report): HTMLElement {
  if (report.accuracy === undefined)
    return element("p", { className: "verdict" }, element("strong", {}, "Too few pictures to say"), " how good it is. It works, but add more to find out how well.");
  const low = Math.max(0, report.accuracy - 2 * (report.error ?? 0)), high = Math.min(1, report.accuracy + 2 * (report.error ?? 0));
  return element("p", { className: "verdict" }, element("strong", { className: "big" }, percent(report.accuracy)),
    ` of new pictures should be named right. With ${count(report.items ?? report.tried[0]?.items ?? 0, "picture")} that is known to within ${percent(low)} to ${percent(high)}.`);
}

function confusionTable(confusion: NonNullable<Report["confusion"]>): HTMLElement {
  const { classes, counts } = confusion;
  const head = element("tr", {}, element("td"), ...classes.map((name) => element("th", { scope: "col", title: name }, name)));
  const rows = classes.map((name, r) => {
    const all = counts[r]!.reduce((a, b) => a + b, 0) || 1;
    return element("tr", {}, element("th", { scope: "row", title: name }, name), ...counts[r]!.map((n, c) => {
      const cell = element("td", { className: n === 0 ? "none" : r === c ? "right" : "wrong" }, String(n));
      cell.style.setProperty("--share", String(n / all));
      return cell;
    }));
  });
  const table = element("table", { className: "confusion" }, element("caption", {}, "Rows: what it is. Columns: what it was taken for."), element("thead", {}, head), element("tbody", {}, ...rows));
  return withAttributes(element("div", { className: "scroll" }, table), { role: "region", "aria-label": "Confusions", tabindex: "0" });
}

function mistakeFigure(one: Mistake, now: State): HTMLElement | null {
  const picture = now.classes.find((c) => c.name === one.class)?.pictures.find((p) => p.file === one.file);
  if (!picture) return null;  // moved or removed since
  const known = now.classes.some((c) => c.name === one.predicted);
  return element("figure", {}, element("img", { loading: "lazy", alt: one.file, src: server.pictureUrl(one.class, one.file, 160, picture.stamp) }),
    element("figcaption", {}, "In ", element("b", {}, one.class), ", looks like ", element("b", {}, one.predicted), ` (${percent(one.probability)})`,
      known && withAttributes(button(`Move to ${one.predicted}`, "plain", async () => {
        if (await act(() => server.movePicture(one.class, one.file, one.predicted))) notify(`${one.file} is in ${one.predicted} now. Train again to use it.`);
      }, `Move to ${one.predicted}: ${one.file}`), { "data-key": `move//${one.class}/${one.file}` })));
}

function mistakes(report: Report, now: State): HTMLElement | null {
  const all = report.mistakes ?? [];
  const left = all.map((one) => mistakeFigure(one, now)).filter((node): node is HTMLElement => node !== null);
  if (all.length === 0) return report.confusion ? element("p", { className: "faint" }, "No picture was taken for another class.") : null;
  return element("section", {}, element("h3", {}, "Most confident mistakes"),
    element("p", { className: "faint" }, left.length > 0 ? "Each was judged by a model that had not seen it. Is the label right?" : "All of them were moved or removed. Train again."),
    element("div", { className: "mistakes" }, ...left));
}

function triedTable(report: Report): HTMLElement {
  const rows = report.tried.map((one) => element("tr", { className: one.chosen ? "chosen" : "" }, element("th", { scope: "row", title: one.recipe }, one.name, one.chosen ? " (taken)" : ""),
    element("td", {}, report.folds > 0 ? `${percent(one.score, 1)} ± ${(100 * one.error).toFixed(1)}` : "-"), element("td", {}, one.seconds > 0 ? `${one.seconds.toFixed(1)} s` : "-")));
  return element("details", {}, withAttributes(element("summary", {}, `What it tried: ${count(report.tried.length, "recipe")}`), { "data-key": "tried" }),
    withAttributes(element("div", { className: "scroll" }, element("table", { className: "tried" },
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Recipe"), element("th", { scope: "col" }, "Right"), element("th", { scope: "col" }, "Took"))),
      element("tbody", {}, ...rows))), { role: "region", "aria-label": "What it tried", tabindex: "0" }));
}

function leftOut(report: Report): HTMLElement | null {
  if (!report.left_out?.length) return null;
  return element("details", {}, withAttributes(element("summary", {}, `${count(report.left_out.length, "file")} left out`), { "data-key": "left-out" }),
    element("ul", {}, ...report.left_out.map((one) => element("li", {}, one.reason))));
}

function reportCard(model: Model, now: State): HTMLElement {
  const report = model.report;
  if (!report) return element("div", { className: "card" }, element("p", {}, "This model was made elsewhere. Train to see how good it is."));
  const card = element("div", { className: "card" }, accuracy(report));
  if (report.confusion) card.append(element("h3", {}, "What was taken for what"), confusionTable(report.confusion));
  card.append(...[mistakes(report, now), triedTable(report), leftOut(report)].filter((node): node is HTMLElement => node !== null));
  return card;
}

let drawn = "";

function draw(now: State): void {
  byId("train-hint").textContent = hint(now);
  byId("train-hint").className = now.training.state === "failed" ? "bad" : "faint";
  const text = JSON.stringify([now.model, now.classes.map((one) => [one.name, one.pictures.map((p) => p.file)])]);
  if (text === drawn) return;
  drawn = text;
  const open = [...document.querySelectorAll<HTMLDetailsElement>("#report details[open] > summary")].map((node) => node.getAttribute("data-key"));
  byId("report").replaceChildren(...(now.model ? [reportCard(now.model, now)] : []));
  for (const node of document.querySelectorAll("#report summary")) if (open.includes(node.getAttribute("data-key"))) (node.parentElement as HTMLDetailsElement).open = true;
}

let last = "";

function announce(training: Training): void {
  if (last === "running" && training.state === "done") notify(`Trained in ${training.seconds.toFixed(0)} s. Try it.`);
  if (training.state === "running" && last !== "running") say("Training has begun");
  last = training.state;
}

export function startTrain(): void {
  onState(draw);
  onTraining(drawProgress);
  onTraining(announce);
  byId("start").addEventListener("click", () => void act(() => server.train(effort())));
  byId("stop").addEventListener("click", () => void act(() => server.cancel()));
}
