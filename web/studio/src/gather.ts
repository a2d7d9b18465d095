// The first column: classes and their pictures.
import { hasCamera, openCamera } from "./camera";
import { renameClass, showPicture } from "./dialogs";
import { button, byId, count, element, say, withAttributes } from "./dom";
import { chosen, dropped, each, type Given } from "./files";
import { server, ServerError, type Picture, type PictureClass, type State } from "./server";
import { act, notify, onState, refresh, state } from "./store";

const kFirstShown = 24;
const kUploadsAtOnce = 3;
const kThumbnailPx = 160;

const expanded = new Set<string>();
const refused = new Map<string, string[]>();  // by class: uploads that could not be used
const thumbnails = new Map<string, HTMLButtonElement>();

async function addAll(className: string, given: Given[]): Promise<void> {
  if (given.length === 0) return;
  let added = 0, known = 0;
  const problems: string[] = [];
  await each(given, kUploadsAtOnce, async ({ file, name }, index) => {
    say(`Adding ${index + 1} of ${given.length} to ${className}`);
    try {
      const answer = await server.addPicture(className, file, name);
      if (answer?.error) problems.push(answer.error);
      else if (answer?.known) known += 1;
      else added += 1;
    } catch (error) {
      problems.push(error instanceof ServerError && error.status !== 409 ? `${name}: ${error.message}` : (error as Error).message);
    }
    if ((index + 1) % 10 === 0) void refresh();
  });
  if (problems.length > 0) refused.set(className, [...(refused.get(className) ?? []), ...new Set(problems)]);
  await refresh();
  const parts = [`${count(added, "picture")} added to ${className}`];
  if (known > 0) parts.push(`${known} already there`);
  if (problems.length > 0) parts.push(`${problems.length} could not be used`);
  notify(`${parts.join(", ")}.`);
}

// Folders become classes of their name; pictures without a folder go to `className`.
export async function addGiven(className: string | null, given: Given[]): Promise<void> {
  const byClass = new Map<string, Given[]>();
  for (const one of given) {
    const name = className ?? one.folder;
    byClass.set(name, [...(byClass.get(name) ?? []), one]);
  }
  if (byClass.has("")) {
    byClass.delete("");
    notify("Drop pictures onto a class; a folder becomes a class by itself.");
  }
  for (const [name, pictures] of byClass) {
    if (!state()?.classes.some((one) => one.name === name) && (await act(() => server.addClass(name))) === null) continue;
    await addAll(name, pictures);
  }
}

// A card or the whole page takes what is dropped on it.
export function takeDrops(target: HTMLElement, use: (given: Given[]) => unknown): void {
  for (const kind of ["dragenter", "dragover"] as const)
    target.addEventListener(kind, (event) => {
      event.preventDefault();
      event.stopPropagation();
      target.classList.add("over");
    });
  target.addEventListener("dragleave", (event) => {
    if (!target.contains(event.relatedTarget as Node | null)) target.classList.remove("over");
  });
  target.addEventListener("drop", async (event) => {
    event.preventDefault();
    event.stopPropagation();
    target.classList.remove("over");
    if (event.dataTransfer) use(await dropped(event.dataTransfer));
  });
}

// A label that opens the file dialog.
export function fileButton(text: string, label: string, key: string, use: (given: Given[]) => unknown): HTMLLabelElement {
  const input = withAttributes(element("input", { type: "file", multiple: true, accept: "image/*,.pgm,.ppm,.tif,.tiff", className: "unseen" }),
    { "aria-label": label, "data-key": key });
  input.addEventListener("change", () => {
    use(chosen(input.files));
    input.value = "";
  });
  return element("label", { className: "button" }, input, text);
}

function thumbnail(className: string, picture: Picture): HTMLButtonElement {
  const key = JSON.stringify([className, picture]);
  const known = thumbnails.get(key);
  if (known) return known;
  const marks = [picture.problem ? "cannot be read" : "", picture.same ? "the same as another" : ""].filter(Boolean);
  const node = withAttributes(element("button", { type: "button", className: "thumbnail", onclick: () => showPicture(className, picture) }),
    { "aria-label": [picture.file, ...marks].join(", "), "data-key": `${className}/${picture.file}` });
  if (picture.problem) node.classList.add("broken");
  else node.append(element("img", { loading: "lazy", alt: "", src: server.pictureUrl(className, picture.file, kThumbnailPx, picture.stamp) }));
  if (picture.problem) node.append(element("span", { className: "flag bad" }, "!"));
  else if (picture.same) node.append(element("span", { className: "flag" }, "="));
  thumbnails.set(key, node);
  return node;
}

function troubles(one: PictureClass): HTMLElement | null {
  const lines = one.pictures.filter((p) => p.problem).map((p) => p.problem as string);
  const same = one.pictures.filter((p) => p.same);
  const failed = refused.get(one.name) ?? [];
  if (lines.length + same.length + failed.length === 0) return null;
  const list = element("ul", {}, ...[...lines, ...failed].map((text) => element("li", {}, text)),
    ...same.map((p) => element("li", {}, `${p.file} is the same as ${(p.same ?? []).join(", ")}`)));
  const parts = [];
  if (lines.length > 0) parts.push(`${count(lines.length, "file")} cannot be read`);
  if (failed.length > 0) parts.push(`${count(failed.length, "upload")} not taken`);
  if (same.length > 0) parts.push(`${count(same.length, "duplicate")}`);
  const out = element("details", { className: "troubles" }, withAttributes(element("summary", {}, parts.join(", ")), { "data-key": `${one.name}/?` }), list);
  if (failed.length > 0) out.append(button("Dismiss", "plain", () => { refused.delete(one.name); void refresh(); }));
  return out;
}

function classCard(one: PictureClass): HTMLElement {
  const key = (what: string) => ({ "data-key": `${one.name}//${what}` });
  const shown = expanded.has(one.name) ? one.pictures : one.pictures.slice(0, kFirstShown);
  const more = one.pictures.length - shown.length;
  const head = element("header", {}, element("h3", {}, one.name), element("span", { className: "faint count" }, count(one.pictures.length, "picture")),
    element("span", { className: "tools" },
      withAttributes(button("Rename", "quiet", () => renameClass(one.name), `Rename ${one.name}`), key("rename")),
      withAttributes(button("Remove", "quiet", async () => {
        if (await act(() => server.removeClass(one.name))) notify(`Removed ${one.name} with ${count(one.pictures.length, "picture")}.`, true);
      }, `Remove ${one.name}`), key("remove"))));
  const grid = element("div", { className: "thumbnails" }, ...shown.map((picture) => thumbnail(one.name, picture)));
  if (one.pictures.length === 0) grid.append(element("p", { className: "faint empty" }, "Drop, paste or choose pictures"));
  const card = withAttributes(element("article", { className: "card class" }, head, grid,
    more > 0 && withAttributes(button(`Show ${more} more`, "quiet", () => { expanded.add(one.name); void refresh(); }), key("more")),
    troubles(one),
    element("p", { className: "row" }, fileButton("Choose pictures", `Choose pictures for ${one.name}`, `${one.name}//choose`, (given) => addAll(one.name, given)),
      hasCamera() && withAttributes(button("Camera", "plain", () => openCamera(`Pictures for ${one.name}`, (blob) =>
        void addAll(one.name, [{ file: blob, name: `camera-${Date.now()}.jpg`, folder: "" }])), `Camera for ${one.name}`), key("camera")))),
    { "aria-label": `Class ${one.name}`, "data-class": one.name });
  takeDrops(card, (given) => addGiven(one.name, given));
  return card;
}

// The same place has the focus before and after the page is drawn again, and what was open stays open.
function keepingFocus(work: () => void): void {
  const key = document.activeElement?.getAttribute("data-key");
  const opened = [...document.querySelectorAll("details[open] > summary[data-key]")].map((node) => node.getAttribute("data-key"));
  work();
  for (const one of document.querySelectorAll("summary[data-key]"))
    if (opened.includes(one.getAttribute("data-key"))) (one.parentElement as HTMLDetailsElement).open = true;
  if (key && document.activeElement?.getAttribute("data-key") !== key)
    for (const one of document.querySelectorAll<HTMLElement>("[data-key]")) if (one.getAttribute("data-key") === key) return one.focus({ preventScroll: true });
}

let drawn = "";

function draw(now: State): void {
  const name = now.folder.split("/").pop() ?? "";
  byId("folder").textContent = name;
  byId("folder").title = now.folder;
  document.title = `${name} - muster studio`;
  const text = JSON.stringify([now.classes, [...expanded], [...refused]]);
  if (text === drawn) return;
  drawn = text;
  const cards = now.classes.map(classCard);
  if (cards.length === 0)
    cards.push(element("div", { className: "card welcome" }, element("p", {}, "Drop a folder with one folder per class anywhere on this page, or make the first class below.")));
  keepingFocus(() => byId("classes").replaceChildren(...cards));
}

export function startGather(): void {
  onState(draw);
  const name = byId<HTMLInputElement>("new-name");
  byId<HTMLFormElement>("new-class").addEventListener("submit", async (event) => {
    event.preventDefault();
    if (await act(() => server.addClass(name.value.trim()))) name.value = "";
    name.focus();
  });
  takeDrops(document.body, (given) => addGiven(null, given));
  byId("undo").addEventListener("click", async () => {
    const done = await act(() => server.undo());
    if (done) notify(`${done.restored} is back.`);
  });
}
