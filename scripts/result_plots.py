"""Plots of results as SVG text, the same bytes for the same figures: lines with intervals, and pairs of dots. Readable in light and dark."""
import math

WIDTH = 760
COLOURS = [("#1458a0", "#6fb1f5"), ("#b3470b", "#ff9d5c"), ("#1a7a4c", "#63d19a"), ("#8a3f96", "#d59be0"),
           ("#8a6d00", "#e0c34a"), ("#00747f", "#52ccd8"), ("#b01e5e", "#ff85b5"), ("#565d66", "#b4bcc6")]
MAX_SERIES = len(COLOURS)
MAX_MARKED = 40


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def number(value):
    """A coordinate."""
    return f"{value:.1f}".rstrip("0").rstrip(".") if value else "0"


def label(value):
    text = f"{value:.4g}"
    return text if "e" not in text else f"{value:.1e}"


def style():
    light = "".join(f".s{i}{{--c:{pair[0]}}}" for i, pair in enumerate(COLOURS))
    dark = "".join(f".s{i}{{--c:{pair[1]}}}" for i, pair in enumerate(COLOURS))
    return ("<style>svg{--page:#fff;--text:#1c2024;--dim:#5b636d;--rule:#d5d9de;--c:#1458a0}" + light +
            "@media (prefers-color-scheme:dark){svg{--page:#14171a;--text:#e8eaed;--dim:#a2abb5;--rule:#3a4149}" + dark + "}"
            "text{font:13px system-ui,sans-serif;fill:var(--text)}.dim{fill:var(--dim);font-size:12px}.title{font-weight:600;font-size:14px}"
            ".page{fill:var(--page)}.rule{stroke:var(--rule)}.line{fill:none;stroke:var(--c);stroke-width:2}.dash{stroke-dasharray:6 5}"
            ".bar{stroke:var(--c);stroke-width:1.2}.dot{fill:var(--c);stroke:var(--c);stroke-width:1.5}.ring{fill:var(--page);stroke:var(--c);stroke-width:1.5}"
            "</style>")


def document(height, title, parts):
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">'
            f"<title>{escape(title)}</title>")
    return "\n".join([head, style(), f'<rect class="page" width="{WIDTH}" height="{height}"/>', *parts, "</svg>"]) + "\n"


def text(x, y, content, anchor="start", css="", more=""):
    return f'<text x="{number(x)}" y="{number(y)}" text-anchor="{anchor}" class="{css}"{more}>{escape(content)}</text>'


def line(x1, y1, x2, y2, css):
    return f'<line x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}" class="{css}"/>'


def dot(x, y, css):
    return f'<circle cx="{number(x)}" cy="{number(y)}" r="4" class="{css}"/>'


def round_steps(low, high, about=8):
    """Round numbers that cover the range."""
    raw = (high - low) / about
    power = 10 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def padded(values, share):
    low, high = min(values), max(values)
    pad = share * (high - low) or 0.05 * abs(high) or 1
    return low - pad, high + pad


def text_width(content):
    return 7.2 * len(content)


def legend(entries, left, top):
    """Lines of [(css, dashed, name)]; also the height that they take."""
    parts, x, y = [], left, top
    for css, paper, name in entries:
        width = 44 + text_width(name)
        if x > left and x + width > WIDTH - 16:
            x, y = left, y + 22
        parts.append(f'<g class="{css}">' + line(x, y - 4, x + 26, y - 4, "line dash" if paper else "line") +
                     dot(x + 13, y - 4, "ring" if paper else "dot") + "</g>" + text(x + 33, y, name))
        x += width + 8
    return parts, y - top + 22


def line_plot(curve):
    """A curve of results.json: ours as lines with their 95 % intervals, the paper's dashed."""
    percent = curve["y"].get("unit") == "percent"
    scale = 100 if percent else 1
    all_x = [p[0] for s in curve["series"] for p in s["points"]]
    # Times of unlike methods differ by orders of magnitude.
    spread = curve["x"].get("label") == "Seconds" and min(all_x) > 0 and max(all_x) / min(all_x) > 50
    log = curve["x"].get("log", False) or spread
    place = math.log10 if log else (lambda v: v)
    series = curve["series"]
    xs = [place(x) for x in all_x]
    ys = [scale * v for s in series for p in s["points"] for v in ([p[1]] if len(p) < 4 else [p[1], p[2], p[3]])]
    (x_low, x_high), (y_low, y_high) = padded(xs, 0.04), padded(ys, 0.06)
    left, right, top, bottom = 64, WIDTH - 20, 40, 330
    at_x = lambda v: left + (right - left) * (place(v) - x_low) / (x_high - x_low)
    at_y = lambda v: bottom - (bottom - top) * (scale * v - y_low) / (y_high - y_low)
    parts = [text(16, 24, curve["title"] + (", per cent" if percent else ""), css="title")]
    for tick in round_steps(y_low, y_high):
        y = at_y(tick / scale)
        parts += [line(left, y, right, y, "rule"), text(left - 8, y + 4, label(tick), "end", "dim")]
    marks = sorted({p[0] for s in series for p in s["points"]})
    if curve["x"].get("label") == "Seconds" and log:
        decades = range(math.floor(x_low), math.ceil(x_high) + 1)
        marks = [m * 10.0 ** k for k in decades for m in (1, 2, 5) if x_low <= math.log10(m * 10.0 ** k) <= x_high]
    elif len(marks) > 12:
        marks = [10 ** v for v in round_steps(x_low, x_high)] if log else round_steps(x_low, x_high)
    last = -math.inf
    for tick in marks:
        if at_x(tick) - last < 34:
            continue
        last = at_x(tick)
        parts += [line(last, bottom, last, bottom + 5, "rule"), text(last, bottom + 19, label(tick), "middle", "dim")]
    parts.append(text((left + right) / 2, bottom + 40, curve["x"].get("label", ""), "middle", "dim"))
    names = list(dict.fromkeys(s["name"] for s in series))
    entries = []
    for s in series:
        css, paper = f"s{names.index(s['name']) % MAX_SERIES}", s.get("paper", False)
        points = [(at_x(p[0]), at_y(p[1]), p) for p in s["points"]]
        group = ['<polyline class="line{}" points="{}"/>'.format(" dash" if paper else "", " ".join(f"{number(x)},{number(y)}" for x, y, unused in points))]
        group += [line(x, at_y(p[2]), x, at_y(p[3]), "bar") for x, unused, p in points if len(p) >= 4]
        if len(points) <= MAX_MARKED:
            group += [dot(x, y, "ring" if paper else "dot") for x, y, unused in points]
        parts.append(f'<g class="{css}">' + "".join(group) + "</g>")
        entries.append((css, paper, s["name"] + (" (paper)" if paper else "")))
    lines, height = legend(entries, 16, bottom + 68)
    return document(bottom + 56 + height, curve["title"], parts + lines)


def pair_plot(title, rows, paper):
    """Rows of a comparison in per cent: the paper's figure as a ring (called `paper`), ours as a dot with its standard deviation."""
    left = 24 + max(text_width(row["name"]) for row in rows)
    left = min(left, WIDTH * 0.6)
    right, top, step = WIDTH - 24, 44, 24
    bottom = top + step * len(rows)
    values = [100 * v for row in rows for v in (row["paper"], row["ours"] - row.get("ours_std", 0), row["ours"] + row.get("ours_std", 0))]
    low, high = padded(values, 0.06)
    at = lambda v: left + (right - left) * (100 * v - low) / (high - low)
    parts = [text(16, 24, title, css="title")]
    for tick in round_steps(low, high):
        parts += [line(at(tick / 100), top - 6, at(tick / 100), bottom, "rule"), text(at(tick / 100), bottom + 16, label(tick), "middle", "dim")]
    for i, row in enumerate(rows):
        y = top + step * (i + 0.5)
        parts.append(text(left - 12, y + 4, row["name"], "end"))
        group = [line(at(row["paper"]), y, at(row["ours"]), y, "rule")]
        if row.get("ours_std"):
            group.append(line(at(row["ours"] - row["ours_std"]), y, at(row["ours"] + row["ours_std"]), y, "bar"))
        group += [dot(at(row["paper"]), y, "ring"), dot(at(row["ours"]), y, "dot")]
        parts.append('<g class="s0">' + "".join(group) + "</g>")
    parts.append(text((left + right) / 2, bottom + 36, "per cent", "middle", "dim"))
    lines, height = legend([("s0", False, "ours ± one standard deviation"), ("s0", True, paper)], 16, bottom + 60)
    return document(bottom + 48 + height, title, parts + lines)


def levels_of(weights):
    """The weights of a pyramid's cells, cut into its levels of 1, 4, 16 ... cells."""
    levels, begin = [], 0
    while begin < len(weights):
        count = 4 ** len(levels)
        levels.append(weights[begin:begin + count])
        begin += count
    return levels


def cell_rows(level):
    side = round(math.sqrt(len(level)))
    return [level[r * side:(r + 1) * side] for r in range(side)]


def weight_maps(title, maps):
    """One line per [(name, weights of the cells)]: each level, and their sum as it lies over the picture. Bright cells weigh most; each map has a scale of its own."""
    side, gap, left, top, step = 72, 22, 346, 64, 92
    parts = [text(16, 24, title, css="title")]
    columns = ["whole picture", "quarters", "sixteen cells", "all levels"]
    for c, name in enumerate(columns):
        parts.append(text(left + c * (side + gap) + side / 2, 50, name, "middle", "dim"))
    for i, (name, weights) in enumerate(maps):
        y = top + i * step
        levels = [cell_rows(level) for level in levels_of(weights)]
        finest = len(levels[-1])
        cover = [[sum(level[r * len(level) // finest][c * len(level) // finest] / (finest // len(level)) ** 2 for level in levels) for c in range(finest)]
                 for r in range(finest)]
        parts.append(text(left - 16, y + side / 2 + 4, name, "end"))
        for c, grid in enumerate(levels + [cover]):
            largest = max(max(row) for row in grid) if c == len(levels) else max(weights)
            cell = side / len(grid)
            for r, row in enumerate(grid):
                for k, value in enumerate(row):
                    shade = round(255 * math.sqrt(max(value, 0) / largest)) if largest > 0 else 0
                    parts.append(f'<rect x="{number(left + c * (side + gap) + k * cell)}" y="{number(y + r * cell)}" width="{number(cell)}" height="{number(cell)}" '
                                 f'fill="rgb({shade},{shade},{shade})" class="rule"/>')
    return document(top + step * len(maps) + 8, title, parts)
