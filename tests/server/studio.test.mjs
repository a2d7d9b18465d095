// The studio's page in headless Chromium (studio_page_test.py starts the studio on an empty folder). The tests are steps of one visit. With SCREENSHOTS naming
// a folder, pictures of the page land there; with PLAIN as well they are for people, and the third class has its own name.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { launch, open, overflows, seriousProblems } from "./pages.mjs";

const { URL: url, DATA: data, FOLDER: folder, SCREENSHOTS: screenshots, PLAIN: plain } = process.env;
const kPerClass = 15;
const drawn = readdirSync(data, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => entry.name).sort();
const files = drawn.map((name) => readdirSync(join(data, name)).sort().map((file) => join(data, name, file)));
const kMarkup = plain ? drawn[2] : "<img src=x onerror=alert(1)>";
const names = [drawn[0], drawn[1], kMarkup];  // as the studio knows them
let browser, visit, page;

before(async () => {
  browser = await launch();
  visit = await open(browser, url, { width: 1440, height: 1000 });
  page = visit.page;
});
after(() => browser.close());

const card = (name) => page.locator(`[data-class=${JSON.stringify(name)}]`);
const shot = async (name) => { if (screenshots) await page.screenshot({ path: join(screenshots, `studio-${name}.png`), fullPage: true }); };
const kept = (name) => readdirSync(join(folder, name)).length;
const answers = (count) => page.waitForFunction((n) => document.querySelectorAll(".answer").length === n, count);
const idle = () => page.waitForFunction(() => document.getElementById("progress").hidden, null, { timeout: 60000 });

// As if they were dragged from a file manager.
async function drop(target, paths) {
  const given = paths.map((path) => ({ name: basename(path), bytes: readFileSync(path).toString("base64") }));
  await target.evaluate((node, pictures) => {
    const transfer = new DataTransfer();
    for (const { name, bytes } of pictures) transfer.items.add(new File([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], name, { type: "image/png" }));
    node.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, given);
}

async function train(effort) {
  await page.locator(`input[name=effort][value=${effort}]`).check();
  await page.getByRole("button", { name: "Train", exact: true }).click();
}

test("an empty folder becomes three classes by keyboard", async () => {
  await page.waitForSelector(".welcome");
  await shot("empty");
  assert.equal(await page.locator("#start").isDisabled(), true);
  await page.locator("#new-name").focus();
  for (const name of names) {
    await page.keyboard.type(name);
    await page.keyboard.press("Enter");
    await card(name).waitFor();
  }
  assert.deepEqual(await page.locator(".class h3").allTextContents(), [...names].sort());
  await page.keyboard.type("../up");
  await page.keyboard.press("Enter");
  await page.getByText("has no slashes").first().waitFor();
  await page.fill("#new-name", "");
});

test("dropped pictures are kept, and what is none is said", async () => {
  for (const [i, name] of names.entries()) {
    // One picture of the second class is put into the first.
    const paths = i === 0 ? [...files[0].slice(0, kPerClass - 1), files[1][kPerClass]] : files[i].slice(0, kPerClass);
    await drop(card(name), paths);
    await page.waitForFunction(([n, count]) => [...document.querySelectorAll("[data-class]")].find((c) => c.dataset.class === n)?.querySelectorAll(".thumbnail").length === count, [name, kPerClass]);
    assert.equal(kept(name), kPerClass);
  }
  await drop(card(names[0]), [new URL(import.meta.url).pathname, files[0][0]]);
  await page.getByText("1 already there, 1 could not be used").first().waitFor();
  assert.match(await card(names[0]).locator(".troubles").textContent(), /not a picture/);
  assert.equal(kept(names[0]), kPerClass);
  await card(names[0]).locator(".troubles summary").click();
  await card(names[0]).getByRole("button", { name: "Dismiss" }).click();
  await card(names[0]).locator(".troubles").waitFor({ state: "detached" });
});

test("a removed picture comes back", async () => {
  await card(names[1]).locator(".thumbnail").first().press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).press("Enter");
  await page.waitForFunction(() => !document.getElementById("undo").hidden);
  assert.equal(kept(names[1]), kPerClass - 1);
  await page.locator("#undo").press("Enter");
  await page.getByText("is back").first().waitFor();
  assert.equal(kept(names[1]), kPerClass);
});

test("a page opened in the middle of training goes on with it", async () => {
  await train("normal");
  await page.locator("#progress").waitFor();
  await shot("training");
  await page.reload();
  await page.locator("#progress").waitFor();
  await page.waitForFunction(() => /\d s/.test(document.getElementById("step").textContent));
  await idle();
  await page.locator(".verdict .big").waitFor();
  assert.match(await page.locator(".verdict").textContent(), /\d+ % of new pictures should be named right/);
  assert.equal(await page.locator(".confusion tbody tr").count(), 3);
  assert.ok((await page.locator(".tried tbody tr").count()) >= 1);
});

test("a wrong label is found and set right with one click", async () => {
  const file = basename(files[1][kPerClass]);
  const figure = page.locator(".mistakes figure").filter({ has: page.locator(`img[src*="${encodeURIComponent(file)}"][src*="${encodeURIComponent(names[0])}"]`) }).first();
  assert.match(await figure.textContent(), new RegExp(`In ${names[0]}, looks like ${names[1]}`));
  await shot("mistakes");
  await figure.getByRole("button").click();
  await page.getByText("Train again to use it").first().waitFor();
  assert.equal(existsSync(join(folder, names[1], file)), true);
  assert.equal(kept(names[0]), kPerClass - 1);
  await page.getByText("have changed since").waitFor();
  const before = readFileSync(join(folder, "model.muster"));
  await train("quick");
  await page.locator("#progress").waitFor();
  await idle();
  await page.waitForFunction(() => !document.getElementById("train-hint").textContent.includes("have changed"));
  assert.notDeepEqual(readFileSync(join(folder, "model.muster")), before);
});

test("a new picture is named, with its evidence", async () => {
  for (const [i, name] of names.entries()) {
    await page.setInputFiles("#try-area input[type=file]", files[i].at(-1));
    await answers(i + 1);
    assert.equal(await page.locator(".answer .class").first().textContent(), name);
  }
  assert.ok(await page.locator("canvas.evidence").first().evaluate((c) => c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some((v, k) => k % 4 === 3 && v > 0)));
  assert.match(await page.locator(".answer").first().textContent(), /Speaks for/);
  await page.locator(".answer").first().getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText(`1 picture added to ${kMarkup}`).first().waitFor();
  assert.equal(kept(kMarkup), kPerClass + 1);
});

test("the camera takes a picture to try", async () => {
  if (plain) return;
  await page.getByRole("button", { name: "Camera for a picture to try" }).click();
  await page.getByRole("button", { name: "Take a picture" }).click();
  await answers(4);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

test("the model is downloaded as it is on disk", async () => {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download the model" }).click()]);
  assert.deepEqual(readFileSync(await download.path()), readFileSync(join(folder, "model.muster")));
  await page.getByText("The same by command").click();
  assert.match(await page.locator(".copyable").first().textContent(), /muster train .* --effort quick -o /);
});

test("another page sees changes", async () => {
  const other = await open(browser, url);
  await other.page.locator("[data-class]").first().waitFor();
  await page.fill("#new-name", "later");
  await page.keyboard.press("Enter");
  await other.page.locator("[data-class=later]").waitFor();
  await other.page.getByRole("button", { name: "Remove later" }).click();
  await card("later").waitFor({ state: "detached" });
  assert.deepEqual(other.troubles, []);
  await other.close();
});

for (const [width, scheme] of [[1440, "light"], [390, "light"], [1440, "dark"], [390, "dark"]]) {
  test(`nothing keeps people out: ${width} px, ${scheme}`, async () => {
    await page.setViewportSize({ width, height: 1000 });
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });  // colours at once
    await page.evaluate(() => { document.getElementById("toast").hidden = true; });
    assert.equal(await overflows(page), false);
    await shot(`${width}-${scheme}`);
    assert.deepEqual(await seriousProblems(page), []);
  });
}

test("no name became markup, and nothing went wrong", async () => {
  assert.equal(await page.locator("[onerror]").count(), 0);
  assert.deepEqual(visit.troubles, []);
});
