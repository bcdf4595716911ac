#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: page_test.py PTAUDIT [DIRECTORY]

Tests of map --html in Chromium without a window: the page of a process whose tables
are known loads, has the right totals, zooms and finds; a name cannot break out of it;
with 500,000 tables it is drawn while it is zoomed, and the times between frames are
printed (the aim: 95 in 100 below 50 ms). With DIRECTORY, screenshots are kept there. It fails
without the packages chromium, chromium-driver and python3-selenium.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

from results import end_with_total, result

CHILD = """
import ctypes, mmap, sys
ctypes.CDLL(None).prctl(15, b"</script><b>")
m = mmap.mmap(-1, 64 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
m.madvise(15)
for i in range(0, 64 << 20, 4096): m[i] = 1
print("ready", flush=True)
sys.stdin.read()
"""

# Zooms by wheel events for so many frames; hands over the times between them.
FRAMES = """
const done = arguments[arguments.length - 1];
const canvas = document.getElementById("map");
const times = [];
let last = performance.now(), n = 0;
function frame(now) {
	times.push(now - last);
	last = now;
	const box = canvas.getBoundingClientRect();
	canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: n % 60 < 30 ? -120 : 120,
		clientX: box.left + box.width * ((n % 7) / 7), clientY: box.top + 50, bubbles: true, cancelable: true }));
	if (++n < 240)
		requestAnimationFrame(frame);
	else
		done(times.slice(1));
}
requestAnimationFrame(frame);
"""

PICTURE = "return document.getElementById('map').toDataURL()"


def open_browser(webdriver):
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1200,900"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.chrome.service.Service("/usr/bin/chromedriver")
    return webdriver.Chrome(options=options, service=service)


def errors(browser):
    return [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def data_of(path):
    with open(path, encoding="utf-8") as file:
        page = file.read()
    return page, re.search(r'(?s)id="data">(.*?)</script>', page)


def judge_page(browser, path, tool, pid, keep):
    process = json.loads(subprocess.run([tool, "map", "-J", "--tables", pid], capture_output=True, check=True).stdout)
    process = process["processes"][0]
    browser.get("file://" + path)
    title = browser.find_element("id", "title").text
    result(title.startswith(f"</script><b> ({pid}): tables "), "a name that ends a script is text", title)
    result(not browser.find_elements("tag name", "b"), "and makes no element")
    page, found = data_of(path)
    result(page.count("</script>") == 2 and not re.search(r'(src|href)=|url\(|@import', page), "it loads nothing")
    data = json.loads(found[1])
    result(data["total"] == process["total_bytes"] and data["waste"] == process["waste_bytes"], "totals as in JSON", data["total"])
    rows = browser.find_elements("css selector", "#rows tr[data-row]")
    result(len(rows) == len(process["mappings"]), "a row for each mapping", len(rows))
    levels = [row.text.split() for row in browser.find_elements("css selector", "#levels tr")][1:]
    want = [[str(row["tables"]), row["level"]] for row in process["levels"]]
    result([[row[0], row[-1]] for row in levels] == want, "the levels with their tables", levels)
    drawn = [table for table in process["tables"] if table["level"] == "pte" or table["kind"] == "huge"]
    result(len(data["slots"]) == len(drawn), "each PTE table and huge page is in the picture", len(data["slots"]))
    before = browser.execute_script(PICTURE)
    body = browser.find_element("tag name", "body")
    body.send_keys("+")
    browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    zoomed = browser.execute_script(PICTURE)
    result(zoomed != before, "+ zooms")
    body.send_keys("0")
    browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    result(browser.execute_script(PICTURE) == before, "0 shows all again")
    find = browser.find_element("id", "find")
    for text in (hex(int(drawn[0]["start"], 16) + 4096), "[heap]"):
        find.clear()
        find.send_keys(text + "\n")
        tip = browser.find_element("id", "tip").text
        address = int(tip.split()[0], 16) if tip else 0
        wanted = int(drawn[0]["start"], 16) if text != "[heap]" else next(
            int(table["start"], 16) for table in drawn if table["name"] == "[heap]")
        result(address == wanted, "search finds " + text.replace(hex(int(drawn[0]["start"], 16) + 4096), "an address"), tip)
    find.clear()
    find.send_keys("no such mapping\n")
    result(browser.find_element("id", "found").text == "not found", "what is not there is not found")
    result(not errors(browser), "no error in the console", errors(browser))
    if keep:
        browser.save_screenshot(os.path.join(keep, "page.png"))
        for scheme in ("dark", "light"):
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
            browser.get("file://" + path)
            browser.save_screenshot(os.path.join(keep, scheme + ".png"))


def judge_many(browser, path, keep):
    """The same page with 500,000 tables, a quarter of them empty."""
    page, found = data_of(path)
    data = json.loads(found[1])
    number = 500000
    data.update(slots=[1] * number, used=[i % 512 if i % 4 else 0 for i in range(number)], kinds=[2] * number, rows=[i * 7 // number for i in range(number)])
    while len(data["mappings"]) < 7:
        data["mappings"].append(data["mappings"][0])
    text = json.dumps(data).replace("<", "\\u003c")
    many = path + ".many.html"
    with open(many, "w", encoding="utf-8") as file:
        file.write(page[: found.start(1)] + text + page[found.end(1) :])
    browser.get("file://" + many)
    times = sorted(browser.execute_async_script(FRAMES))
    late = times[int(len(times) * 0.95)]
    print(f"# {number} tables: {len(times)} frames, median {times[len(times) // 2]:.1f} ms, 95th percentile {late:.1f} ms (aim: 50)")
    result(len(times) == 239 and not errors(browser), "500,000 tables are drawn while it is zoomed", errors(browser))
    if keep:
        browser.save_screenshot(os.path.join(keep, "many.png"))
    os.unlink(many)


def main():
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    tool, keep = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
    try:
        from selenium import webdriver
    except ImportError:
        sys.exit("page_test.py: missing: package python3-selenium")
    for file in ("/usr/bin/chromium", "/usr/bin/chromedriver"):
        if not os.path.exists(file):
            sys.exit(f"page_test.py: missing: {file}; packages chromium and chromium-driver")
    with tempfile.TemporaryDirectory() as folder, subprocess.Popen(
        [sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        child.stdout.readline()
        path = os.path.join(folder, "map.html")
        done = subprocess.run([tool, "map", "--html", path, str(child.pid)], capture_output=True, check=False)
        if b"built without pages" in done.stderr:
            child.stdin.close()
            sys.exit("page_test.py: missing: esbuild and the D3 packages when the tool was built")
        result(done.returncode == 0 and not done.stdout and os.listdir(folder) == ["map.html"], "--html writes one file", done)
        nowhere = os.path.join(folder, "no", "map.html")
        done = subprocess.run([tool, "map", "--html", nowhere, str(child.pid)], capture_output=True, check=False)
        result(done.returncode == 2 and done.stderr.count(b"\n") == 1, "where no file can be, exit status 2", done)
        browser = open_browser(webdriver)
        try:
            browser.set_script_timeout(120)
            judge_page(browser, path, tool, str(child.pid), keep)
            judge_many(browser, path, keep)
        finally:
            browser.quit()
            child.stdin.close()
    end_with_total()


main()
