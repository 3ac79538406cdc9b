# SPDX-License-Identifier: MIT
"""Throughput against files present, as an SVG that reads on light and dark pages."""

from math import log10

WIDTH, HEIGHT = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 70, 120, 44, 46
SERIES = [("bare", "bare system calls", "#8a8f98"), ("ours", "filecall", "#2f7ed8")]
STYLE = ("text{font:12px system-ui,sans-serif;fill:#555}"
         ".title{font-weight:600;font-size:14px}.grid{stroke:#9994;stroke-width:1}"
         "@media(prefers-color-scheme:dark){text{fill:#bbb}}")


def short(number):
    for size, letter in ((1_000_000, "M"), (1000, "k")):
        if number >= size:
            return f"{number / size:g}{letter}"
    return f"{number:g}"


def nice_step(top):
    return next(s for s in (5e3, 1e4, 2e4, 5e4, 1e5, 1e6) if top / s <= 6)


def growth(points):
    """`points`: [{"files": 1000, "bare": per_s, "ours": per_s}, ...] in rising order."""
    first, last = log10(points[0]["files"]), log10(points[-1]["files"])
    highest = max(point[key] for point in points for key, _, _ in SERIES)
    step = nice_step(highest)
    top = step * (int(highest / step) + 1)

    def x(files):
        share = (log10(files) - first) / ((last - first) or 1)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(rate):
        return HEIGHT - BOTTOM - rate / top * (HEIGHT - TOP - BOTTOM)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
             f"<title>Throughput against files present</title><style>{STYLE}</style>",
             f'<text class="title" x="{LEFT}" y="22">Requests a second, window 256, tmpfs</text>']
    rate = 0.0
    while rate <= top:
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(rate):.1f}" '
                     f'y2="{y(rate):.1f}"/><text x="{LEFT - 8}" y="{y(rate) + 4:.1f}" '
                     f'text-anchor="end">{short(rate)}</text>')
        rate += step
    for point in points:
        parts.append(f'<text x="{x(point["files"]):.1f}" y="{HEIGHT - BOTTOM + 20}" '
                     f'text-anchor="middle">{short(point["files"])}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 8}" '
                 f'text-anchor="middle">answered requests already in the directories</text>')
    for key, label, color in SERIES:
        path = " ".join(f"{x(p['files']):.1f},{y(p[key]):.1f}" for p in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2.5"/>')
        parts += [f'<circle cx="{x(p["files"]):.1f}" cy="{y(p[key]):.1f}" r="3.5" fill="{color}"/>'
                  for p in points]
        parts.append(f'<text x="{WIDTH - RIGHT + 10}" y="{y(points[-1][key]) + 4:.1f}" '
                     f'style="fill:{color}">{label}</text>')
    return "\n".join([*parts, "</svg>", ""])
