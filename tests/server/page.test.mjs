// The page of the server in headless Chromium (page_test.py starts the servers). With SCREENSHOTS naming a folder, pictures of the page land there.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";

const require = createRequire(new URL("../report_e2e/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const { URL: url, GUARDED_URL: guardedUrl, TOKEN: token, DATA: data, MARKUP: markup, SCREENSHOTS: screenshots } = process.env;
const inMarkup = join(data, "pictures", markup);
const picture = join(inMarkup, readdirSync(inMarkup).sort()[0]);
let browser;

before(async () => {
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"] });
});
after(() => browser.close());

// Opens a page; what it asks for from elsewhere, what it complains about and what a script in a name would do is kept.
async function open(address, { width = 1100, scheme = "light" } = {}) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, bypassCSP: true });  // for axe only
  const page = await context.newPage();
  const troubles = [];
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("dialog", (dialog) => { troubles.push("a dialog"); dialog.dismiss(); });
  page.on("request", (request) => {
    if (!request.url().startsWith(new URL("/", address).href) && !/^(blob|data):/.test(request.url())) troubles.push(`asked for ${request.url()}`);
  });
  await page.goto(address);
  return { page, troubles, close: () => context.close() };
}

async function seriousProblems(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => (await globalThis.axe.run()).violations.map((v) => `${v.impact}: ${v.id} ${v.nodes[0].html}`));
  return found.filter((text) => /^(serious|critical)/.test(text));
}

const overflows = (page) => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
const answers = (page, count) => page.waitForFunction((n) => document.querySelectorAll(".answer").length === n, count);
const known = (page) => page.waitForFunction(() => document.getElementById("about").textContent.startsWith("Model"));

for (const [name, width, scheme] of [["wide", 1100, "light"], ["narrow", 360, "light"], ["dark", 1100, "dark"]]) {
  test(`pictures are predicted and shown: ${name}`, async () => {
    const { page, troubles, close } = await open(url, { width, scheme });
    await known(page);
    await page.setInputFiles("#files", [picture, join(data, "not a picture.jpg")]);
    await answers(page, 2);
    const texts = await page.locator(".answer").allTextContents();
    assert.match(texts[0], /not a picture\.jpg: not a picture/);
    assert.ok(texts[1].includes(markup), texts[1]);
    assert.match(texts[1], /\d\.\d %/);
    assert.match(texts[1], /Speaks for/);
    assert.ok(await page.locator("canvas").evaluate((c) => c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some((v, i) => i % 4 === 3 && v > 0)));
    assert.equal(await page.locator("[onerror]").count(), 0);
    assert.equal(await overflows(page), false);
    if (screenshots) await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
    assert.deepEqual(await seriousProblems(page), []);
    assert.deepEqual(troubles, []);
    await close();
  });

  test(`the page about the interface can be read: ${name}`, async () => {
    const { page, troubles, close } = await open(`${url}docs`, { width, scheme });
    assert.equal(await overflows(page), false);
    assert.deepEqual(await seriousProblems(page), []);
    assert.deepEqual(troubles, []);
    await close();
  });
}

test("the keyboard reaches everything", async () => {
  const { page, close } = await open(url);
  await known(page);
  const reached = [];
  for (let i = 0; i < 6; ++i) {
    await page.keyboard.press("Tab");
    reached.push(await page.evaluate(() => document.activeElement.id || document.activeElement.tagName));
  }
  for (const id of ["model", "files", "camera-open", "why"]) assert.ok(reached.includes(id), reached.join());
  await close();
});

test("the camera takes a picture", async () => {
  const { page, troubles, close } = await open(url);
  await known(page);
  await page.click("#camera-open");
  await page.waitForFunction(() => document.getElementById("viewfinder").videoWidth > 0);
  assert.deepEqual(await seriousProblems(page), []);
  if (screenshots) await page.screenshot({ path: join(screenshots, "camera.png"), fullPage: true });
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#camera-panel").isVisible(), false);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.getElementById("viewfinder").videoWidth > 0);
  await page.keyboard.press("Enter");
  await answers(page, 1);
  assert.match(await page.textContent(".answer"), /camera\.jpg/);
  assert.match(await page.textContent(".answer"), /%/);
  assert.equal(await page.evaluate(() => document.getElementById("viewfinder").srcObject), null);
  assert.deepEqual(troubles, []);
  await close();
});

test("another model changes what may be sent", async () => {
  const { page, close } = await open(url);
  await known(page);
  await page.selectOption("#model", { label: "sets" });
  assert.match(await page.textContent("#about"), /high, low/);
  await page.setInputFiles("#files", join(data, "sets/low/0.npy"));
  await answers(page, 1);
  assert.match(await page.textContent(".answer"), /low/);
  await close();
});

test("a token is asked for and kept for the visit", async () => {
  const { page, close } = await open(guardedUrl);
  await page.waitForSelector("#token", { state: "visible" });
  await page.fill("#token", token);
  await page.keyboard.press("Enter");
  await known(page);
  await page.reload();
  await known(page);
  await page.setInputFiles("#files", picture);
  await answers(page, 1);
  assert.match(await page.textContent(".answer"), /%/);
  await close();
});
