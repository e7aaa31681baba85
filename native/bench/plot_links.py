"""Draws the results of links.py as SVG: top-1 over time, Python's by its step time over those links.

usage: plot_links.py FILE.json FOLDER      FILE.json: output of `links.py --json`; its last line is drawn
"""
import json
import math
import os
import sys

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 56, 20, 40, 48
# Okabe and Ito's palette, for colour-blind readers; the lines also differ in their dashes.
PLAIN, OURS = "#d55e00", "#0072b2"


def time_ticks(low, high):
    steps = [1, 10, 60, 600, 3600, 6 * 3600, 24 * 3600, 7 * 24 * 3600]
    names = ["1 s", "10 s", "1 min", "10 min", "1 h", "6 h", "1 day", "1 week"]
    return [(value, name) for value, name in zip(steps, names) if low <= value <= high]


def curve(points, x, y, colour, dash):
    path = " ".join(f"{'M' if i == 0 else 'L'}{x(t):.1f} {y(v):.1f}" for i, (t, v) in enumerate(points))
    marks = "".join(f'<circle cx="{x(t):.1f}" cy="{y(v):.1f}" r="2.5" fill="{colour}"/>' for t, v in points)
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.8" stroke-dasharray="{dash}"/>{marks}'


def text(x, y, words, anchor="start", size=13):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{words}</text>'


def draw(measured):
    python = measured["python"]["seconds_per_step"]
    curves = []
    for run in measured["runs"]:
        epochs = len(run["top1_by_epoch"])
        plain = run["mode"] == "allreduce" and run["mbps"] is None
        times = [python * run["steps"] * (n + 1) / epochs for n in range(epochs)] if plain else run["seconds_by_epoch"]
        curves.append((plain, list(zip(times, run["top1_by_epoch"]))))
    every = [t for _, points in curves for t, _ in points]
    low, high = math.log10(min(every) / 1.5), math.log10(max(every) * 1.5)
    x = lambda t: LEFT + (math.log10(t) - low) / (high - low) * (WIDTH - LEFT - RIGHT)  # noqa: E731
    y = lambda v: HEIGHT - BOTTOM - v / 100 * (HEIGHT - TOP - BOTTOM)  # noqa: E731
    parts = []
    for value in range(0, 101, 20):
        parts.append(f'<path d="M{LEFT} {y(value):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>' + text(LEFT - 8, y(value) + 4, f"{value} %", "end"))
    for value, name in time_ticks(10**low, 10**high):
        parts.append(f'<path d="M{x(value):.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>' + text(x(value), HEIGHT - BOTTOM + 18, name, "middle"))
    for plain, points in curves:
        parts.append(curve(points, x, y, PLAIN if plain else OURS, "5 3" if plain else "none"))
    ours = next(run for run in measured["runs"] if run["mbps"] is not None)
    parts.append(text(LEFT, 20, f"Top-1 over time, three nodes in a chain of {ours['mbps']} Mbps, resnet18", size=14))
    parts.append(f'<g fill="{OURS}">' + text(LEFT + 70, y(12), f"ringlab-train --sync {ours['mode']}") + "</g>")
    parts.append(f'<g fill="{PLAIN}">' + text(WIDTH - RIGHT, HEIGHT - BOTTOM - 10, f"DistributedDataParallel, {python:.1f} s a step", "end") + "</g>")
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "time since the first step", "middle"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" fill="#333">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>{"".join(parts)}</svg>\n'
    )


def main():
    source, folder = sys.argv[1:3]
    with open(source) as file:
        measured = json.loads(file.readlines()[-1])
    task = measured["runs"][0]["task"]
    path = os.path.join(folder, f"top1-over-time-{measured['runs'][1]['mbps']}-mbps{'' if task == 'easy' else '-' + task}.svg")
    with open(path, "w") as out:
        out.write(draw(measured))
    print(path)


main()
