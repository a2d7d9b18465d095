// The report page's script. The page is complete without it (tables are written by the program);
// it adds sorting, showing and hiding of methods, and charts.
import { drawCurves, drawRankings } from "./charts.js";
import { makeSortable } from "./sort.js";
import { addToggles } from "./toggles.js";

const data = JSON.parse(document.getElementById("report-data").textContent);
document.documentElement.classList.add("scripted");
makeSortable(document);
const charts = [...drawCurves(data.curves), ...drawRankings(data.rankings)];
addToggles(document, charts);
