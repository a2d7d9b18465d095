// The third column: new pictures, what the model says of them and why; and what to take away.
import { hasCamera, openCamera } from "./camera";
import { classChoice } from "./dialogs";
import { button, byId, count, element, percent, say, withAttributes } from "./dom";
import { describeEvidence, drawEvidence } from "./evidence";
import { chosen, type Given } from "./files";
import { addGiven, fileButton, takeDrops } from "./gather";
import { server, type Explanation, type Prediction, type State } from "./server";
import { notify, onState, state } from "./store";

const kMostAnswers = 12;
let number = 0;

function bars(prediction: Prediction): HTMLElement {
  return element("ul", { className: "bars" }, ...prediction.top.map(({ class: name, probability }, i) => {
    const bar = element("span", { className: i === 0 ? "bar first" : "bar" });
    bar.style.setProperty("--share", String(probability));
    return element("li", {}, element("span", { className: "name" }, name), bar, element("span", { className: "percent" }, percent(probability, 1)));
  }));
}

// Kernel machines know which training pictures decided.
function deciding({ deciding: items = [] }: Explanation): HTMLElement | null {
  const figures = items.flatMap(({ item, classes }) => {
    const className = classes[0] ?? "", file = item.slice(item.lastIndexOf("/") + 1);
    const picture = state()?.classes.find((one) => one.name === className)?.pictures.find((one) => one.file === file);
    return picture ? [element("figure", {}, element("img", { alt: file, loading: "lazy", src: server.pictureUrl(className, file, 96, picture.stamp) }), element("figcaption", {}, className))] : [];
  });
  return figures.length > 0 ? element("div", {}, element("p", { className: "faint" }, "These training pictures decided:"), element("div", { className: "deciding" }, ...figures)) : null;
}

function addToClass(given: Given, suggestion: string): HTMLElement {
  const id = `add-${++number}`;
  const choice = classChoice(id, "", suggestion);
  return element("p", { className: "row" }, element("label", { htmlFor: id }, "Add it to"), choice, button("Add", "plain", () => addGiven(choice.value, [given])));
}

function answerCard(given: Given, prediction: Prediction): HTMLElement {
  const picture = element("img", { alt: given.name, src: URL.createObjectURL(given.file) });
  const frame = element("div", { className: "picture" }, picture);
  const explanation = prediction.explanation;
  if (explanation?.map) {
    frame.append(drawEvidence(explanation.map));
    frame.classList.add("explained");
  }
  const toggle = explanation?.map && withAttributes(button("Evidence", "quiet toggle", () => {
    const on = frame.classList.toggle("bare");
    toggle?.setAttribute("aria-pressed", String(!on));
  }), { "aria-pressed": "true" });
  const doubt = prediction.typicality !== undefined && prediction.typicality < 0.05 && element("p", { className: "faint" }, "Unlike most training pictures: perhaps none of these classes.");
  return element("li", { className: "card answer" }, frame, element("div", {}, element("p", { className: "class" }, prediction.class), bars(prediction), doubt,
    explanation && element("p", { className: "faint small-text" }, describeEvidence(explanation)), toggle || null, explanation ? deciding(explanation) : null), addToClass(given, prediction.class));
}

async function tryAll(given: Given[]): Promise<void> {
  for (const [i, one] of given.entries()) {
    say(`Looking at ${one.name} (${i + 1} of ${given.length})`);
    try {
      const prediction = await server.predict(one.file, one.name);
      if (!prediction) continue;
      byId("answers").prepend(answerCard(one, prediction));
      say(`${one.name}: ${prediction.class}, ${percent(prediction.probability)}`);
    } catch (error) {
      byId("answers").prepend(element("li", { className: "card answer alone" }, element("p", { className: "bad" }, (error as Error).message)));
      say((error as Error).message);
    }
    while (byId("answers").children.length > kMostAnswers) byId("answers").lastElementChild?.remove();
  }
}

function copyable(title: string, text: string): HTMLElement {
  return element("div", { className: "copyable" }, element("h4", {}, title),
    withAttributes(element("pre", {}, element("code", {}, text)), { tabindex: "0", role: "region", "aria-label": title }),
    button("Copy", "quiet", async () => {
      await navigator.clipboard.writeText(text);
      notify("Copied.");
    }, `Copy: ${title}`));
}

const shellQuoted = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

function takeAway(now: State): HTMLElement {
  const folder = shellQuoted(now.folder), model = shellQuoted(`${now.folder.split("/").pop()}.muster`), effort = now.training.number > 0 ? now.training.effort : "normal";
  const shell = [`muster train ${folder} --effort ${effort} -o ${model}`, `muster predict ${model} new.jpg --top 3`, `muster explain ${model} new.jpg -o why.png`, `muster serve ${model}`];
  const path = JSON.stringify(now.folder);
  const python = ["import muster", `data = muster.read_dataset(${path})`, "model = muster.SetClassifier().fit(data.paths, data.labels)", "print(model.predict([\"new.jpg\"]))"];
  return element("div", { className: "card" }, element("h3", {}, "Take it with you"),
    element("p", {}, element("a", { className: "button", href: "/studio/model", download: "model.muster" }, "Download the model")),
    element("p", { className: "faint" }, `${count(now.model?.classes.length ?? 0, "class", "classes")}: ${now.model?.classes.join(", ")}.`),
    element("details", {}, element("summary", {}, "The same by command and in Python"), copyable("In a terminal", shell.join("\n")), copyable("In Python", python.join("\n"))));
}

let drawn: string | null = null;

function draw(now: State): void {
  const text = JSON.stringify([now.model?.classes, now.folder, now.training.effort]);
  if (text === drawn) return;
  drawn = text;
  const usable = now.model?.of_pictures;
  if (!usable) {
    byId("try-area").replaceChildren(element("div", { className: "card welcome" }, element("p", { className: "faint" }, now.model ? "The model in this folder is one of vector sets, not of pictures." : "Train first; then drop a picture here.")));
    byId("take-away").replaceChildren();
    return;
  }
  const area = element("div", { className: "drop" }, element("p", {}, "Drop or paste a picture here, or"),
    element("p", { className: "row" }, fileButton("Choose one", "Choose pictures to try", "try//choose", tryAll),
      hasCamera() && button("Camera", "plain", () => openCamera("A picture to try", (blob) => void tryAll([{ file: blob, name: "camera.jpg", folder: "" }])), "Camera for a picture to try")));
  takeDrops(area, tryAll);
  byId("try-area").replaceChildren(area);
  byId("take-away").replaceChildren(takeAway(now));
}

export function startTry(): void {
  onState(draw);
  // What is pasted goes to the class that has the focus, else it is tried.
  document.addEventListener("paste", (event) => {
    const given = chosen(event.clipboardData?.files ?? null);
    if (given.length === 0) return;
    const card = document.activeElement?.closest<HTMLElement>("[data-class]");
    void (card ? addGiven(card.dataset.class ?? null, given) : state()?.model ? tryAll(given) : notify("Paste into a class: move the focus there first."));
  });
}
