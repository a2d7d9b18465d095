// The page in headless Chromium, from file://, without a network. PAGES is the folder with the pages; with SCREENSHOTS
// set, pictures of them land there.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const folder = process.env.PAGES;
const url = (name) => pathToFileURL(join(folder, name)).href;
let browser;

before(async () => {
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
});
after(() => browser.close());

// Opens a page offline; what it asks for beyond itself and what it complains about is kept.
async function open(name, { width = 1440, scheme = "light", scripts = true } = {}) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, javaScriptEnabled: scripts, offline: true });
  const page = await context.newPage();
  const troubles = [];
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) troubles.push(message.text()); });
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("request", (request) => {
    if (request.url() !== url(name) && !request.url().startsWith("data:")) troubles.push(`asked for ${request.url()}`);
  });
  const start = performance.now();
  await page.goto(url(name), { waitUntil: "load" });
  return { page, troubles, seconds: (performance.now() - start) / 1000, close: () => context.close() };
}

async function screenshot(page, name) {
  if (process.env.SCREENSHOTS) await page.screenshot({ path: join(folder, name), fullPage: true });
}

// Pixels of a canvas that are not transparent.
const inked = (canvas) => canvas.evaluate((c) => c.getContext("2d").getImageData(0, 0, c.width, c.height).data.filter((v, i) => i % 4 === 3 && v > 0).length);

for (const [width, scheme] of [[1440, "light"], [390, "light"], [1440, "dark"], [390, "dark"]]) {
  test(`opens quietly, draws, and fits ${width} px, ${scheme}`, async () => {
    const { page, troubles, seconds, close } = await open("bench.html", { width, scheme });
    for (const canvas of await page.locator("canvas").all()) assert.ok((await inked(canvas)) > 1000, "a chart is empty");
    assert.equal(await page.locator("canvas").count(), 2);
    const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(inner <= outer, `the page is ${inner} px wide in a window of ${outer}`);
    await screenshot(page, `bench-${width}-${scheme}.png`);
    assert.deepEqual(troubles, []);
    assert.ok(statSync(join(folder, "bench.html")).size < 8 * 2 ** 20, "larger than 8 MB");
    console.log(`opened in ${seconds.toFixed(2)} s`);
    await close();
  });
}

test("a sweep shows its charts before its tables", async () => {
  const { page, close } = await open("bench.html");
  const top = async (selector) => (await page.locator(selector).first().boundingBox()).y;
  const chart = await top(".chart canvas");
  for (const table of ["comparison", "methods"]) assert.ok(chart < (await top(`table[aria-labelledby=${table}]`)), table);
  await close();
});

test("columns sort both ways by keyboard, and say so", async () => {
  const { page, close } = await open("bench.html");
  const table = page.locator("table[aria-labelledby=methods]");
  const column = async () => (await table.locator("tbody tr td:nth-child(2)").evaluateAll((cells) => cells.map((c) => Number(c.dataset.v))));
  const unsorted = await column();
  const button = table.locator("thead th:nth-child(2) button");
  await button.focus();
  await page.keyboard.press("Enter");
  const down = [...unsorted].sort((a, b) => b - a);
  assert.deepEqual(await column(), down);
  assert.equal(await table.locator("thead th:nth-child(2)").getAttribute("aria-sort"), "descending");
  await page.keyboard.press("Enter");
  assert.deepEqual(await column(), [...down].reverse());
  assert.equal(await table.locator("thead th[aria-sort]").count(), 1);
  await close();
});

test("a method can be hidden everywhere and shown again", async () => {
  const { page, close } = await open("bench.html");
  const row = page.locator("table[aria-labelledby=methods] tr[data-series=emk-fourier]");
  const canvas = page.locator(".chart canvas").first();
  const before = await inked(canvas);
  assert.ok(await row.isVisible());
  await page.getByLabel("emk-fourier", { exact: true }).press("Space");
  assert.ok(!(await row.isVisible()));
  assert.ok(!(await page.locator("details.method[data-series=emk-fourier]").isVisible()));
  assert.ok(!(await page.locator("table[aria-labelledby=classes] th[data-series=emk-fourier]").isVisible()));
  assert.ok(!(await page.locator(".plot-legend").first().innerText()).includes("emk-fourier"));
  assert.notEqual(await inked(canvas), before);
  await page.getByRole("button", { name: "All", exact: true }).click();
  assert.ok(await row.isVisible());
  await close();
});

test("thumbnails show, with true and predicted class", async () => {
  const { page, close } = await open("bench.html");
  const image = page.locator("details.method[open] .mistakes img").first();
  await image.scrollIntoViewIfNeeded();
  await page.waitForFunction((i) => i.complete && i.naturalWidth > 0, await image.elementHandle());
  assert.match(await page.locator("details.method[open] .mistakes figcaption").first().innerText(), /taken for .* %/);
  await close();
});

test("arrow keys read a chart aloud", async () => {
  const { page, close } = await open("bench.html");
  await page.locator(".plot").first().focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.querySelector(".plot-readout").textContent !== "");
  assert.match(await page.locator(".plot-readout").first().innerText(), /Dimensions D 500: bow-linear 65\.0 % \(63\.8 % to 66\.2 %\)/);
  await close();
});

test("the colours follow the system while the page is open, and paper is white", async () => {
  const { page, troubles, close } = await open("bench.html", { scheme: "dark" });
  const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(await colour(), "rgb(20, 23, 26)");
  await page.emulateMedia({ colorScheme: "light" });
  assert.equal(await colour(), "rgb(255, 255, 255)");
  await page.emulateMedia({ colorScheme: "dark", media: "print" });
  assert.equal(await colour(), "rgb(255, 255, 255)");
  await page.pdf({ path: join(folder, "bench.pdf"), format: "A4" });
  assert.deepEqual(troubles, []);
  await close();
});

test("rankings of multi-label data, class by class", async () => {
  const { page, troubles, close } = await open("multilabel.html", { width: 390 });
  assert.equal(await page.locator("#rank-charts canvas").count(), 2);
  const canvas = page.locator("#rank-charts canvas").first();
  const before = await canvas.evaluate((c) => c.toDataURL());
  await page.getByLabel("Class").selectOption({ label: "water" });
  assert.notEqual(await canvas.evaluate((c) => c.toDataURL()), before);
  await screenshot(page, "multilabel-390.png");
  assert.deepEqual(troubles, []);
  await close();
});

test("the tables are there with scripting off", async () => {
  const { page, close } = await open("bench.html", { scripts: false });
  assert.ok(await page.locator("table[aria-labelledby=methods] tbody tr").first().isVisible());
  assert.ok(await page.getByText("Values").first().isVisible());
  assert.ok(await page.locator("figure.chart table tbody tr").first().isVisible());
  assert.equal(await page.locator("button").count(), 0);
  await close();
});
