// The page of the server: sends pictures to POST /predict and shows what comes back. Text from the server and names of files are
// only ever set as text, never as markup.
"use strict";

const byId = (id) => document.getElementById(id);
const ORANGE = [190, 90, 10], BLUE = [51, 123, 208];
const state = { models: [], token: sessionStorage.getItem("token") || "" };

function element(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

// The JSON of an answer; an error carries the server's message and the status.
async function ask(path, options = {}) {
  const headers = state.token ? { Authorization: `Bearer ${state.token}` } : {};
  const response = await fetch(path, { ...options, headers });
  const body = await response.json().catch(() => ({ error: `status ${response.status}` }));
  if (response.ok) return body;
  if (response.status === 401) askForToken();
  throw Object.assign(new Error(body.error), { status: response.status });
}

function askForToken() {
  byId("token-row").hidden = false;
  byId("token").focus();
}

const chosenModel = () => state.models[Number(byId("model").value) || 0];

function describeModel() {
  const model = chosenModel();
  const names = model.classes.slice(0, 20).join(", ") + (model.classes.length > 20 ? ", ..." : "");
  byId("about").textContent = `Model ${model.name}: ${model.classes.length} classes (${names}).`;
  const pictures = model.kind === "pictures";
  byId("drop-text").textContent = pictures ? "Drop pictures here, paste one, or" : "Drop .npy files of vectors here, or";
  // A page from another machine without TLS may not use the camera itself, but a phone's browser takes a picture for it.
  byId("camera-open").hidden = !pictures || !navigator.mediaDevices;
  byId("camera-choice").hidden = !pictures || Boolean(navigator.mediaDevices);
  byId("files").accept = pictures ? "image/*" : ".npy";
}

async function loadModels() {
  try {
    state.models = (await ask("/models")).models;
  } catch (error) {
    byId("about").textContent = error.message;
    return;
  }
  byId("token-row").hidden = true;
  byId("model").replaceChildren(...state.models.map((model, i) => element("option", { value: String(i) }, model.name)));
  byId("model-row").hidden = state.models.length < 2;
  describeModel();
}

function rankTable(prediction) {
  const table = element("table", { className: "ranks" }, element("caption", {}, "Most probable classes"));
  for (const { class: name, probability } of prediction.top) {
    const percent = `${(100 * probability).toFixed(1)} %`;
    const meter = element("meter", { min: 0, max: 1, value: probability });
    meter.setAttribute("aria-hidden", "true");
    table.append(
      element("tr", {}, element("th", { scope: "row" }, name),
        element("td", {}, meter, element("span", { className: "percent" }, percent))));
  }
  return table;
}

// The colours of muster explain: orange speaks for the class, blue against it; colour-blind people tell them apart, too.
function drawEvidence(map) {
  const canvas = element("canvas", { width: map.cols, height: map.rows, className: "evidence" });
  const most = Math.max(...map.values.map(Math.abs)) || 1;
  const pixels = new ImageData(map.cols, map.rows);
  map.values.forEach((value, i) => {
    const [red, green, blue] = value > 0 ? ORANGE : BLUE;
    pixels.data.set([red, green, blue, 230 * Math.abs(value) / most], 4 * i);
  });
  canvas.getContext("2d").putImageData(pixels, 0, 0);
  canvas.setAttribute("aria-hidden", "true");
  return canvas;
}

function captionOf({ item, classes }) {
  return `${item} (${classes.join(", ")})`;
}

// The training pictures that decided, if the server was told where they are.
function showDeciding({ deciding = [] }) {
  const shown = deciding.filter((one) => one.thumbnail);
  if (shown.length === 0) return [];
  const list = element("ul", { className: "deciding" });
  for (const one of shown)
    list.append(element("li", {}, element("img", { src: one.thumbnail, alt: "" }), element("span", {}, `${captionOf(one)}${one.value < 0 ? ", against it" : ""}`)));
  return [element("p", { className: "doubt" }, "The training pictures that decided, the strongest first:"), list];
}

// Where the evidence lies, in words.
function describeEvidence({ class: name, strongest_for: patches = [], deciding = [] }) {
  const side = (x, low, high) => (x < 1 / 3 ? low : x > 2 / 3 ? high : "middle");
  const places = [...new Set(patches.map(({ x, y }) => `${side(y, "top", "bottom")} ${side(x, "left", "right")}`.replace("middle middle", "middle")))];
  const sentences = [];
  if (places.length > 0) sentences.push(`Speaks for ${name} (orange), the strongest first: ${places.join(", ")}. Blue speaks against it.`);
  if (deciding.length > 0 && !deciding.some((one) => one.thumbnail)) sentences.push(`Most like these training items: ${deciding.map(captionOf).join("; ")}.`);
  return sentences.join(" ");
}

function showAnswer(file, outcome) {
  const card = element("li", { className: "answer" });
  const text = element("div", {}, element("h3", {}, file.name || "pasted picture"));
  const picture = element("img", { alt: "", src: URL.createObjectURL(file) });
  picture.addEventListener("load", () => URL.revokeObjectURL(picture.src));
  picture.addEventListener("error", () => {
    frame.remove();
    card.classList.add("alone");
  });
  const frame = element("div", { className: "picture" }, picture);
  card.append(frame, text);
  if (outcome.error) {
    text.append(element("p", { className: "error" }, outcome.error));
  } else {
    text.append(element("p", { className: "class" }, outcome.class), rankTable(outcome));
    if (outcome.explanation) {
      if (outcome.explanation.map) {
        frame.append(drawEvidence(outcome.explanation.map));
        frame.classList.add("explained");
      }
      text.append(element("p", { className: "doubt" }, describeEvidence(outcome.explanation)), ...showDeciding(outcome.explanation));
    }
    if (outcome.typicality !== undefined && outcome.typicality < 0.05)
      text.append(element("p", { className: "doubt" }, "Unlike most training items: perhaps none of these classes."));
  }
  byId("answers-title").hidden = false;
  byId("answers").prepend(card);
}

async function predict(files) {
  for (const [i, file] of [...files].entries()) {
    byId("status").textContent = `Looking at ${file.name || "the picture"} (${i + 1} of ${files.length}) ...`;
    const query = new URLSearchParams({ top: "5", model: chosenModel()?.name ?? "", explain: byId("why").checked ? "1" : "0" });
    try {
      const body = new FormData();  // not the file alone: its name is part of messages
      body.append("file", file, file.name || "pasted picture");
      const answer = await ask(`/predict?${query}`, { method: "POST", body });
      const prediction = answer.predictions[0];
      showAnswer(file, prediction);
      byId("status").textContent = `${file.name || "The picture"}: ${prediction.class}`;
    } catch (error) {
      const message = error.status === undefined ? "The server cannot be reached, or the file cannot be read." : error.message;
      showAnswer(file, { error: message });
      byId("status").textContent = message;
      if (error.status === 401) return;
    }
  }
}

async function openCamera() {
  try {
    byId("viewfinder").srcObject = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
  } catch (error) {
    byId("status").textContent = `The camera cannot be used: ${error.message}. Choose a file instead.`;
    return;
  }
  byId("camera-panel").hidden = false;
  byId("camera-open").hidden = true;
  byId("shutter").focus();
}

function closeCamera() {
  for (const track of byId("viewfinder").srcObject?.getTracks() ?? []) track.stop();
  byId("viewfinder").srcObject = null;
  byId("camera-panel").hidden = true;
  byId("camera-open").hidden = false;
  byId("camera-open").focus();
}

async function takePicture() {
  const view = byId("viewfinder");
  if (view.videoWidth === 0) return;  // the camera is not ready
  const canvas = element("canvas", { width: view.videoWidth, height: view.videoHeight });
  canvas.getContext("2d").drawImage(view, 0, 0);
  const bytes = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.95));
  closeCamera();
  await predict([new File([bytes], "camera.jpg", { type: "image/jpeg" })]);
}

byId("camera-open").addEventListener("click", openCamera);
byId("camera-close").addEventListener("click", closeCamera);
byId("shutter").addEventListener("click", takePicture);
byId("camera-panel").addEventListener("keydown", ({ key }) => {
  if (key === "Escape") closeCamera();
});
for (const id of ["files", "camera"])
  byId(id).addEventListener("change", async ({ target }) => {
    await predict(target.files);
    target.value = "";
  });
byId("model").addEventListener("change", describeModel);
byId("settings").addEventListener("submit", (event) => {
  event.preventDefault();
  state.token = byId("token").value.trim();
  sessionStorage.setItem("token", state.token);
  loadModels();
});
const drop = byId("drop");
for (const kind of ["dragenter", "dragover"])
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
for (const kind of ["dragleave", "drop"]) document.addEventListener(kind, () => drop.classList.remove("over"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  if (event.dataTransfer.files.length > 0) predict(event.dataTransfer.files);
});
document.addEventListener("paste", (event) => {
  if (event.clipboardData.files.length > 0) predict(event.clipboardData.files);
});
loadModels();
