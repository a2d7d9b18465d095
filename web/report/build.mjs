// Bundles src/ and uPlot into dist/report.js, which the C++ build embeds. The licence of uPlot goes with it.
import { readFileSync } from "node:fs";
import { build } from "esbuild";

const { version } = JSON.parse(readFileSync("node_modules/uplot/package.json", "utf8"));
const licence = readFileSync("node_modules/uplot/LICENSE", "utf8").trim();

await build({
  entryPoints: ["src/main.js"],
  outfile: "dist/report.js",
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2020",
  charset: "utf8",
  loader: { ".css": "text" },
  banner: { js: `/*! Contains uPlot ${version}.\n${licence}\n*/` },
});
