// The page of the server in headless Chromium (page_test.py starts the servers). With SCREENSHOTS naming a folder, pictures of the page land there.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, open as openPage, overflows, seriousProblems } from "./pages.mjs";

const { URL: url, GUARDED_URL: guardedUrl, KERNEL_URL: kernelUrl, TOKEN: token, DATA: data, MARKUP: markup, SCREENSHOTS: screenshots } = process.env;
const inMarkup = join(data, "pictures", markup);
const picture = join(inMarkup, readdirSync(inMarkup).sort()[0]);
let browser;

before(async () => { browser = await launch(); });
after(() => browser.close());

const open = (address, options) => openPage(browser, address, options);
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

  test(`training pictures that decided are shown: ${name}`, async () => {
    const { page, troubles, close } = await open(kernelUrl, { width, scheme });
    await known(page);
    await page.setInputFiles("#files", picture);
    await answers(page, 1);
    const thumbnails = page.locator(".deciding img");
    assert.equal(await thumbnails.count(), 5);
    await page.waitForFunction(() => [...document.querySelectorAll(".deciding img")].every((img) => img.naturalWidth > 0));
    assert.match(await page.textContent(".deciding li"), /\.png/);
    assert.equal(await page.locator("[onerror]").count(), 0);
    assert.equal(await overflows(page), false);
    if (screenshots) await page.screenshot({ path: join(screenshots, `deciding-${name}.png`), fullPage: true });
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
