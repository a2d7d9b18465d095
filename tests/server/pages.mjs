// What tests of pages share: a browser, a page whose troubles are kept, and a look for what keeps people out.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(new URL("../report_e2e/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

// With a camera that shows a moving pattern.
export const launch = () => chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"] });

// Opens a page; what it asks for from elsewhere, what it complains about and what a script in a name would do is kept.
export async function open(browser, address, { width = 1100, height = 900, scheme = "light" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, bypassCSP: true });  // for axe only
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

export async function seriousProblems(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => (await globalThis.axe.run()).violations.map((v) => `${v.impact}: ${v.id} ${v.nodes[0].html}`));
  return found.filter((text) => /^(serious|critical)/.test(text));
}

export const overflows = (page) => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
