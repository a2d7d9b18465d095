// The style sheet of the report page (an internal part of html.h).
#pragma once

namespace muster {

inline constexpr char kReportStyle[] = R"css(
:root {
  color-scheme: light dark;
  --page: #fff; --text: #1c2024; --dim: #5b636d; --rule: #d5d9de; --panel: #f5f6f8;
  --right: 20 88 158; --wrong: 168 66 10;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171a; --text: #e8eaed; --dim: #a2abb5; --rule: #3a4149; --panel: #1d2126;
    --right: 42 108 180; --wrong: 176 80 28;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 70rem;
  background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif;
}
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem; }
p { margin: .4rem 0; max-width: 45rem; }
.dim, figcaption { color: var(--dim); font-size: .875rem; }
.headline { font-size: 1.25rem; margin-top: 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .7rem; text-align: right; border-bottom: 1px solid var(--rule); }
th { font-weight: 600; }
th:first-child { text-align: left; }
td { white-space: nowrap; }
tr.best > * { background: var(--panel); }
tr.best th::after { content: " \2605"; color: rgb(var(--right)); }
code { font: .875rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
.confusion td { min-width: 2.3rem; padding: .3rem; text-align: center; border: 1px solid var(--page);
  background: rgb(var(--wrong) / var(--share, 0)); }
.confusion td.hit { background: rgb(var(--right) / var(--share, 0)); font-weight: 600; }
.confusion td.strong { color: #fff; }
.confusion td.none { color: var(--dim); }
.confusion thead th { padding: .3rem; vertical-align: bottom; }
.confusion thead span { writing-mode: vertical-rl; transform: rotate(180deg); white-space: nowrap; }
.confusion th:first-child { position: sticky; left: 0; background: var(--page); font-weight: 400;
  min-width: 6rem; max-width: 9rem; overflow-wrap: break-word; }
.bars { width: 100%; max-width: 45rem; table-layout: fixed; }
.bars th { width: 28%; font-weight: 400; overflow-wrap: anywhere; }
.bars td.value { width: 5.5rem; }
.bars svg { display: block; width: 100%; height: .8rem; }
.bars .ground { fill: var(--panel); }
.bars .bar { fill: rgb(var(--right)); }
.mistakes { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: 1rem; }
.mistakes figure { margin: 0; overflow-wrap: anywhere; }
.mistakes img { display: block; width: 100%; aspect-ratio: 4 / 3; object-fit: contain;
  background: var(--panel); border-radius: 4px; }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: .2rem 1rem; margin: 0; }
dt { color: var(--dim); }
dd { margin: 0; overflow-wrap: anywhere; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); gap: 0 2rem; }
@media print {
  :root { color-scheme: light; --page: #fff; --text: #000; --dim: #444; --rule: #bbb; --panel: #eee;
    --right: 20 88 158; --wrong: 168 66 10; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  .scroll { overflow: visible; }
  h2 { break-after: avoid; }
  tr, figure { break-inside: avoid; }
  td, svg, tr.best > * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)css";

}  // namespace muster
