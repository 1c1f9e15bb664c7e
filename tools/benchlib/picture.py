"""The results as one SVG, written without any package.

Two columns per case: the modelled time as a multiple of what the best
published kernels reach, with the floor and the vector unit's own time marked;
and the wall-clock of the fast mode as a multiple of PyTorch's.
"""
import html
import math

ROW, LEFT, WIDTH, GAP, TOP = 15, 330, 300, 70, 74
MODEL_MAX = 3.0                    # multiples of "expected"
WALL_RANGE = (0.125, 8.0)          # multiples of PyTorch, logarithmic
STYLE = """text{font:11px system-ui,sans-serif;fill:#222}.head{font-weight:600;font-size:13px}.small{fill:#666;font-size:10px}
.bar{fill:#4477aa}.slow{fill:#cc6677}.floor{stroke:#228833;stroke-width:2}.vector{stroke:#ee7733;stroke-width:2}.axis{stroke:#999;stroke-width:1}
.grid{stroke:#ddd;stroke-width:1}"""


def text(x, y, words, kind="", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{html.escape(words)}</text>'


def line(x1, y1, x2, y2, kind):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def bar(x1, x2, y, kind):
    begin, end = min(x1, x2), max(x1, x2)
    return f'<rect x="{begin:.1f}" y="{y:.1f}" width="{max(end - begin, 1):.1f}" height="{ROW - 4}" class="{kind}"/>'


def model_x(ratio):
    return LEFT + WIDTH * min(ratio, MODEL_MAX) / MODEL_MAX


def wall_x(ratio):
    low, high = (math.log(v) for v in WALL_RANGE)
    at = (min(max(math.log(ratio), low), high) - low) / (high - low)
    return LEFT + WIDTH + GAP + WIDTH * at


def model_row(y, modelled):
    if "us" not in modelled:
        return [text(LEFT + 4, y + ROW - 5, modelled.get("error", "not modelled"), "small")]
    expected = modelled["expectedUs"]
    out = [bar(LEFT, model_x(modelled["byExpected"]), y + 2, "bar")]
    for key, kind in (("floorUs", "floor"), ("vectorUs", "vector")):
        x = model_x(modelled[key] / expected)
        out.append(line(x, y + 1, x, y + ROW - 1, kind))
    out.append(text(LEFT + WIDTH + 4, y + ROW - 5, f'{modelled["us"]:.1f} us', "small"))
    return out


def wall_row(y, wall):
    if "torchMs" not in wall:
        words = wall.get("noTorch") or wall.get("skipped") or wall.get("error", "")
        return [text(wall_x(1), y + ROW - 5, words, "small", "middle")]
    ratio = wall["fastMs"] / wall["torchMs"]
    return [bar(wall_x(1), wall_x(ratio), y + 2, "slow" if ratio > 1 else "bar"),
            text(wall_x(WALL_RANGE[1]) + 4, y + ROW - 5, f"{ratio:.2f}", "small")]


def scales(bottom):
    out = []
    for ratio in (0, 0.5, 1, 1.5, 2, 2.5, 3):
        out.append(line(model_x(ratio), TOP - 4, model_x(ratio), bottom, "axis" if ratio in (0, 1) else "grid"))
        out.append(text(model_x(ratio), TOP - 8, f"{ratio:g}", "small", "middle"))
    for ratio in (0.125, 0.25, 0.5, 1, 2, 4, 8):
        out.append(line(wall_x(ratio), TOP - 4, wall_x(ratio), bottom, "axis" if ratio == 1 else "grid"))
        out.append(text(wall_x(ratio), TOP - 8, f"{ratio:g}", "small", "middle"))
    return out


def svg(results):
    rows, y, last = [], TOP, None
    for case in results["cases"]:
        if case["function"] != last:
            last = case["function"]
            rows.append(text(8, y + ROW - 3, last, "head"))
            y += ROW + 3
        shape = " x ".join(map(str, case["shape"]))
        rows.append(text(20, y + ROW - 5, f'{case["variant"]}, {shape}, {case["dtype"]}'))
        rows += model_row(y, case["modelled"]) + wall_row(y, case["wall"])
        y += ROW
    right = LEFT + 2 * WIDTH + GAP + 50
    head = [
        text(8, 20, f'Loss backwards on {results["soc"]}: modelled, not measured', "head"),
        text(LEFT, 38, "modelled / expected  (green: floor, orange: vector unit)", ""),
        text(LEFT + WIDTH + GAP, 38, "wall-clock, fast mode / PyTorch backward, same threads", ""),
    ]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{right}" height="{y + 16}" viewBox="0 0 {right} {y + 16}">'
            f'<style>{STYLE}</style><rect width="100%" height="100%" fill="white"/>'
            + "\n".join(head + scales(y) + rows) + "</svg>\n")
