"""Opens a report in a real browser and checks that it renders and zooms.

usage: check_report.py REPORT.html

Appends a script to a copy of the page that uses it as a person would (wheel,
buttons, sorting, the launch menu) and writes what it saw into the page; the
browser prints the page and its console. Exit status 77: no browser here.
"""
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

PROBE = """
<script>
window.addEventListener("load", () => {
  const seen = {}, canvas = document.getElementById("time");
  const number = name => parseFloat(canvas.dataset[name]);
  const pixels = () => { const d = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data; let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n; };
  seen.ready = document.body.dataset.ready;
  seen.pixels = pixels();
  seen.drawn = number("drawn");
  seen.width = number("width");
  const box = canvas.getBoundingClientRect();
  for (let i = 0; i < 5; ++i)
    canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -100, clientX: box.left + box.width / 2, clientY: box.top + 60, bubbles: true, cancelable: true }));
  seen.zoomed = number("width");
  seen.zoomedDrawn = number("drawn");
  document.getElementById("all").click();
  seen.whole = number("width");
  seen.bars = document.querySelectorAll("#pipes rect").length;
  seen.point = document.querySelectorAll("#point").length;
  seen.rows = document.querySelectorAll("#lines tbody tr").length;
  seen.byCycles = document.querySelectorAll("#lines th")[7].textContent;
  const scroll = document.getElementById("lines").parentElement.getBoundingClientRect();
  seen.cyclesShown = document.querySelectorAll("#lines th")[8].getBoundingClientRect().right <= scroll.right;
  document.querySelectorAll("#lines th")[3].click();
  seen.sorted = document.querySelectorAll("#lines th")[3].textContent;
  seen.unit = document.getElementById("unit").textContent;
  seen.source = [...document.querySelectorAll("#lines tbody tr")].map(r => r.lastElementChild.textContent).join(" ");
  const menu = document.getElementById("core");
  seen.cores = menu.options.length;
  menu.value = menu.options.length - 1; menu.onchange();
  seen.scrolled = number("scroll");
  canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "Home" }));
  seen.home = number("scroll");
  seen.parameters = document.querySelectorAll("#params tbody tr").length;
  seen.cards = document.querySelectorAll(".card").length;
  seen.external = [...document.querySelectorAll("[src], link[href]")].filter(e => /^(https?:)?\\/\\//.test(e.getAttribute("src") || e.getAttribute("href"))).length;
  const out = document.createElement("pre"); out.id = "probe"; out.textContent = JSON.stringify(seen); document.body.append(out);
});
</script>
"""


def main():
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser:
        print("skipped: chromium is not installed")
        return 77
    with open(sys.argv[1], encoding="utf-8") as file:
        page = file.read()
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "report.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(page.replace("</body>", PROBE + "</body>"))
        run = subprocess.run(
            [browser, "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--user-data-dir=" + directory + "/profile",
             "--enable-logging=stderr", "--window-size=1280,1600",
             "--virtual-time-budget=5000", "--dump-dom", "file://" + path],
            capture_output=True, text=True, timeout=150)
    console = [l for l in run.stderr.splitlines() if "CONSOLE" in l]
    found = re.search(r'<pre id="probe">(.*?)</pre>', run.stdout, re.S)
    if not found:
        print("the page did not run:\n" + "\n".join(console) + run.stderr[-2000:])
        return 1
    seen = json.loads(html.unescape(found.group(1)))
    print(seen)
    failures = []

    def expect(condition, what):
        if not condition:
            failures.append(what)

    expect(not console, "console messages: " + "; ".join(console))
    expect(seen["ready"] == "1", "the script did not reach its end")
    expect(seen["byCycles"] == "cycles \u2193", "lines are not sorted by their cycles")
    expect(seen["cyclesShown"], "numbers are hidden behind long lines of source")
    expect(seen["pixels"] > 1000, "the timeline is empty")
    expect(seen["drawn"] > 10, "no spans were drawn")
    expect(seen["zoomed"] < seen["width"] * 0.5, "the wheel does not zoom")
    expect(seen["zoomedDrawn"] <= seen["drawn"], "zooming draws more spans")
    expect(abs(seen["whole"] - seen["width"]) < 1e-6, "Whole does not reset")
    expect(seen["bars"] == 8, "pipe utilisation is missing")
    expect(seen["point"] == 1, "the roofline has no point")
    expect(seen["rows"] >= 5, "the table of lines is short")
    expect("↓" in seen["sorted"], "a click does not sort")
    expect(seen["parameters"] > 30, "the model's numbers are missing")
    expect(seen["cards"] == 10, "cards are missing")
    expect("per second" in seen["unit"], "the roofline's y axis has no unit")
    expect("Add(" in seen["source"], "source lines are missing: " + seen["source"])
    expect(seen["cores"] > 1 and seen["scrolled"] >= 0 and seen["home"] == 0, "cores cannot be reached")
    expect(seen["external"] == 0, "the page loads something")
    for failure in failures:
        print("failed: " + failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
