// Bundles src/ into dist/studio.js, which the C++ build embeds.
import { build } from "esbuild";

await build({ entryPoints: ["src/main.ts"], outfile: "dist/studio.js", bundle: true, minify: true, format: "iife", target: "es2020", charset: "utf8" });
