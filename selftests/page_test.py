#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: page_test.py PTAUDIT [DIRECTORY]

Tests map --html, check --html and map --diff --html in headless Chromium. The page of a
process with known tables must have the right totals, must zoom, and must find tables. A
process name must not be able to insert HTML. The page of a check must show both sides, and
each difference with its cause. The page of a diff must show the tables that came and went.
In print, the names must have enough room. A page with 500,000 tables must be redrawn while
it is zoomed; the times between frames are printed, and 95 in 100 should be below 50 ms.
With DIRECTORY, screenshots are kept there. The test fails without the packages chromium,
chromium-driver and python3-selenium.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

from results import end_with_total, result

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
CHILD = """
import ctypes, mmap, sys
ctypes.CDLL(None).prctl(15, b"</script><b>")
m = mmap.mmap(-1, 64 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
m.madvise(15)
for i in range(0, 64 << 20, 4096): m[i] = 1
print("ready", flush=True)
sys.stdin.read()
"""

# Fills 16 slots of 2 MiB; on request unmaps the first 8 and fills 4 others.
CHANGER = """
import ctypes, mmap, sys
m = mmap.mmap(-1, 64 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
m.madvise(15)
base = ctypes.addressof(ctypes.c_char.from_buffer(m))
first = -base % (2 << 20)
for slot in range(16): m[first + (slot << 21)] = 1
print(hex(base + first), flush=True)
sys.stdin.readline()
unmap = ctypes.CDLL(None).munmap
unmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
unmap(base + first, 16 << 20)
for slot in range(20, 24): m[first + (slot << 21)] = 1
print("changed", flush=True)
sys.stdin.read()
import os
os._exit(0)
"""
CAME, WENT = 4, 8

# Zooms by wheel events for some frames and returns the times between them.
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
    for word in ("--headless=new", "--disable-gpu", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1200,900"):
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


def search(browser, text):
    """Type @text into the search field. Return: the address of the table that the page shows."""
    find = browser.find_element("id", "find")
    find.clear()
    find.send_keys(text + "\n")
    tip = browser.find_element("id", "tip").text
    return int(tip.split()[0], 16) if tip else None


def judge_page(browser, path, tool, pid, keep):
    process = json.loads(subprocess.run([tool, "map", "-J", "--tables", pid], capture_output=True, check=True).stdout)
    process = process["processes"][0]
    browser.get("file://" + path)
    title = browser.find_element("id", "title").text
    result(title.startswith(f"</script><b> ({pid}): tables "), "a process name with </script> is shown as text", title)
    result(not browser.find_elements("tag name", "b"), "a process name with <b> creates no element")
    page, found = data_of(path)
    result(page.count("</script>") == 2 and not re.search(r'(src|href)=|url\(|@import', page), "the page loads no other file")
    data = json.loads(found[1])
    side = data["sides"][0]
    result(side["total"] == process["total_bytes"] and side["waste"] == process["waste_bytes"], "the totals are those of map --json", side["total"])
    rows = browser.find_elements("css selector", "#rows tr[data-row]")
    result(len(rows) == len(process["mappings"]), "the page has a row for each mapping", len(rows))
    levels = [row.text.split() for row in browser.find_elements("css selector", "#levels tr")][1:]
    want = [[str(row["tables"]), row["level"]] for row in process["levels"]]
    result([[row[0], row[-1]] for row in levels] == want, "the page has the levels and their tables", levels)
    drawn = [table for table in process["tables"] if table["level"] == "pte" or table["kind"] == "huge"]
    result(len(data["slots"]) == len(drawn), "the picture has each PTE table and huge page", len(data["slots"]))
    firsts, at = [], 0
    for slots in data["slots"]:
        at += slots
        firsts.append(at * data["reach"])
    labels = [span.text for span in browser.find_elements("css selector", "#axis span")]
    want = [hex(firsts[len(firsts) * k // len(labels)]) for k in range(len(labels))]
    result(len(labels) > 3 and labels == want, "the labels of the axis are the addresses of the tables above them", labels)
    before = browser.execute_script(PICTURE)
    body = browser.find_element("tag name", "body")
    body.send_keys("+")
    browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    zoomed = browser.execute_script(PICTURE)
    result(zoomed != before, "the key + zooms in")
    body.send_keys("0")
    browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    result(browser.execute_script(PICTURE) == before, "the key 0 shows the whole picture again")
    heap = next(table for table in drawn if table["name"] == "[heap]")
    for text, table in [(hex(int(drawn[i]["start"], 16) + 4096), drawn[i]) for i in (0, len(drawn) // 2, -1)] + [("[heap]", heap)]:
        result(search(browser, text) == int(table["start"], 16), f"search finds {table['name'] or 'an address'} by {text[:6]}", text)
    find = browser.find_element("id", "find")
    find.clear()
    find.send_keys("no such mapping\n")
    result(browser.find_element("id", "found").text == "not found", "a search for an unknown text says: not found")
    result(not errors(browser), "map: no error in the console", errors(browser))
    if keep:
        browser.save_screenshot(os.path.join(keep, "page.png"))
        for scheme in ("dark", "light"):
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
            browser.get("file://" + path)
            browser.save_screenshot(os.path.join(keep, scheme + ".png"))


# The colours in one column of pixels: of the marks, and of each side.
COLUMN = """
const canvas = document.getElementById("map"), ratio = window.devicePixelRatio;
const at = (y) => [...canvas.getContext("2d").getImageData(arguments[0] * ratio, y * canvas.height, 1, 1).data].slice(0, 3);
return [at(0.15), at(0.4), at(0.8)];
"""
COLOUR = """
const box = document.createElement("div");
box.style.color = `var(--${arguments[0]})`;
document.body.append(box);
return getComputedStyle(box).color.match(/[0-9]+/g).map(Number);
"""


def judge_check(browser, tool, folder, keep):
    """A recording with 40 empty tables, and 3 above them, that pagemap cannot see."""
    recording = os.path.join(DATA, "6.1", "empty")
    path = os.path.join(folder, "check.html")
    done = subprocess.run([tool, "check", "--html", path, "--from", recording], capture_output=True, check=False)
    result(done.returncode == 0 and not done.stdout, "check --html writes a page, and nothing to standard output", done)
    answer = subprocess.run([tool, "check", "-J", "--from", recording], capture_output=True, check=True).stdout
    process = json.loads(answer)["processes"][0]
    causes = {}
    for row in process["causes"]:
        causes[row["cause"]] = causes.get(row["cause"], 0) + row["tables"]
    browser.get("file://" + path)
    title = browser.find_element("id", "title").text
    result(title.endswith(f"): {sum(causes.values())} differences, each with its cause"), "check: the title has the number of differences", title)
    rows = [row.text.split()[:2] for row in browser.find_elements("css selector", "#causes tr")][1:]
    result(dict((name, int(number)) for number, name in rows) == causes, "check: the causes are those of check --json", rows)
    page, found = data_of(path)
    data = json.loads(found[1])
    for k, name in enumerate(("kernel", "estimate")):
        kinds = [kind for kind, above in zip(data["sides"][k]["kinds"], data["above"]) if not above and kind != 3]
        want = next(row[name] for row in process["levels"] if row["level"] == "pte")
        result(len(kinds) == want, f"check: the strip of {name} has each PTE table", f"{len(kinds)} {want}")
    result(len(data["slots"]) - data["marks"].count(0) == sum(causes.values()), "check: each difference has a mark")
    tables = subprocess.run([tool, "map", "-J", "--tables", "--truth", "module", "--from", recording], capture_output=True, check=True).stdout
    tables = json.loads(tables)["processes"][0]["tables"]
    empty = {int(t["start"], 16) for t in tables if t["level"] == "pte" and t["used_entries"] == 0}
    at = [search(browser, "empty") for _ in range(2)]
    result(set(at) <= empty and at[0] != at[1], "check: a search for a cause finds one table, then the next one", at)
    body = browser.find_element("tag name", "body")
    browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    red, none = browser.execute_script(COLOUR, "empty"), [0, 0, 0]
    middle = browser.execute_script("return document.getElementById('map').clientWidth / 2")
    result(browser.execute_script(COLUMN, middle) == [red, red, none], "check: a difference has the colour of its cause, on the side that has the table")
    before = browser.execute_script(PICTURE)
    body.send_keys("c")
    browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    result(browser.execute_script(PICTURE) != before, "check: the key c changes to colours by fill")
    result(not errors(browser), "check: no error in the console", errors(browser))
    judge_unexplained(browser, page, found, folder)
    judge_many(browser, path, keep)
    if keep:
        for scheme in ("dark", "light"):
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
            browser.get("file://" + path)
            browser.save_screenshot(os.path.join(keep, f"check-{scheme}.png"))


def judge_diff(browser, tool, folder):
    """A process before and after the change that CHANGER makes."""
    with subprocess.Popen([sys.executable, "-c", CHANGER], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        first = int(child.stdout.readline(), 16)
        before, path = os.path.join(folder, "before"), os.path.join(folder, "diff.html")
        subprocess.run([tool, "record", "--to", before, str(child.pid)], check=True, stderr=subprocess.DEVNULL)
        child.stdin.write(b"\n")
        child.stdin.flush()
        child.stdout.readline()
        subprocess.run([tool, "map", "--diff", "--html", path, before, str(child.pid)], check=True)
        child.stdin.close()
    browser.get("file://" + path)
    title = browser.find_element("id", "title").text
    said = re.search(r": ([0-9]+) tables came, ([0-9]+) went; ", title)
    # lower bounds: the Python interpreter also allocates and frees tables of its own
    result(said and int(said[1]) >= CAME and int(said[2]) >= WENT, "diff: the title has the numbers of tables that came and went", title)
    data = json.loads(data_of(path)[1][1])
    marks = {cause[1]: cause[0] for cause in data["causes"]}
    at, ours = 0, {"came": [], "went": []}
    for slots, mark in zip(data["slots"], data["marks"]):
        at += slots
        slot = (at * data["reach"] - first) >> 21
        for name, places in ours.items():
            if mark == marks[name] and 0 <= slot < 30:
                places.append(slot)
    result(ours == {"came": [20, 21, 22, 23], "went": list(range(8))}, "diff: the tables that came and went are marked", ours)
    found = [search(browser, "went") for _ in range(2)]
    result(len(set(found)) == 2 and None not in found, "diff: a search for the word finds these tables", found)
    result(not errors(browser), "diff: no error in the console", errors(browser))


# Is something drawn at the left and at the right end of the picture?
ENDS = """
const canvas = document.getElementById("map");
return [1, canvas.width - 3].map((left) => canvas.getContext("2d").getImageData(left, canvas.height / 20, 3, 1).data.some((v) => v));
"""


def judge_narrow(browser, path):
    """The same page in a narrower window, zoomed at the right end, and in print."""
    browser.set_window_size(1400, 900)
    browser.get("file://" + path)
    body = browser.find_element("tag name", "body")
    for key in "+++":
        body.send_keys(key)
    for _ in range(40):
        body.send_keys("\ue014")  # the right arrow
    browser.set_window_size(700, 900)
    browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    ends = browser.execute_script(ENDS)
    result(ends == [True, True], "check: a narrower window still shows both ends of the picture", ends)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    letter = browser.execute_script("return parseFloat(getComputedStyle(document.getElementById('rows')).fontSize)")
    wide = min(cell.size["width"] for cell in browser.find_elements("css selector", "#rows td:last-child"))
    result(wide >= 14 * letter, "check: the names have enough room in print", f"{wide} of {letter}")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    browser.set_window_size(1200, 900)


def judge_unexplained(browser, page, found, folder):
    """The same page, but one of its tables has no cause."""
    data = json.loads(found[1])
    at = data["marks"].index(1)
    data["marks"][at] = 11
    data["causes"].append([11, "unexplained", "no cause could be proven", 1])
    path = os.path.join(folder, "unexplained.html")
    with open(path, "w", encoding="utf-8") as file:
        file.write(page[: found.start(1)] + json.dumps(data) + page[found.end(1) :])
    browser.get("file://" + path)
    title = browser.find_element("id", "title")
    colour = browser.execute_script(COLOUR, "unexplained")
    result("1 of them unexplained" in title.text and title.get_attribute("class") == "unexplained", "check: the title of a page with an unexplained table is highlighted", title.text)
    browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    place = f"return document.getElementById('map').clientWidth * {at + 0.5} / {len(data['slots'])}"
    seen = browser.execute_script(COLUMN, browser.execute_script(place))
    result(seen[0] == colour and seen[1] == colour, "check: an unexplained table has its own colour in the picture", f"{seen} {colour}")
    result(search(browser, "unexplained") == sum(data["slots"][: at + 1]) * data["reach"], "check: a search for 'unexplained' finds the table")


def judge_many(browser, path, keep):
    """The same page with 500,000 tables, a quarter of them empty."""
    page, found = data_of(path)
    data = json.loads(found[1])
    number = 500000
    used, kinds = [i % 512 if i % 4 else 0 for i in range(number)], [2] * number
    data.update(slots=[1] * number, rows=[i * 7 // number for i in range(number)])
    if data["mode"] == "check":
        data.update(marks=[0 if used[i] else 1 for i in range(number)], above=[0] * number)
    for side in data["sides"]:
        side.update(used=used, kinds=kinds)
        kinds = [kind if fill else 3 for kind, fill in zip(kinds, used)]
    while len(data["mappings"]) < 7:
        data["mappings"].append(data["mappings"][0])
    text = json.dumps(data).replace("<", "\\u003c")
    many = path + ".many.html"
    with open(many, "w", encoding="utf-8") as file:
        file.write(page[: found.start(1)] + text + page[found.end(1) :])
    browser.get("file://" + many)
    times = sorted(browser.execute_async_script(FRAMES))
    late = times[int(len(times) * 0.95)]
    mode = data["mode"]
    print(f"# {mode}, {number} tables: {len(times)} frames, median {times[len(times) // 2]:.1f} ms, 95th percentile {late:.1f} ms (aim: 50)")
    result(len(times) == 239 and not errors(browser), f"{mode}: a page of 500,000 tables is redrawn in each frame of a zoom", errors(browser))
    if keep:
        browser.save_screenshot(os.path.join(keep, f"many-{mode}.png"))
    os.unlink(many)


def main():
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    tool, keep = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
    try:
        from selenium import webdriver
    except ImportError:
        sys.exit("page_test.py: needs the package python3-selenium")
    for file in ("/usr/bin/chromium", "/usr/bin/chromedriver"):
        if not os.path.exists(file):
            sys.exit(f"page_test.py: needs {file} (packages chromium and chromium-driver)")
    with tempfile.TemporaryDirectory() as folder, subprocess.Popen(
        [sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        child.stdout.readline()
        path = os.path.join(folder, "map.html")
        done = subprocess.run([tool, "map", "--html", path, str(child.pid)], capture_output=True, check=False)
        if b"built without pages" in done.stderr:
            child.stdin.close()
            sys.exit("page_test.py: the tool was built without esbuild and the D3 packages, so it writes no pages")
        result(done.returncode == 0 and not done.stdout and os.listdir(folder) == ["map.html"], "map --html writes one file, and nothing to standard output", done)
        nowhere = os.path.join(folder, "no", "map.html")
        done = subprocess.run([tool, "map", "--html", nowhere, str(child.pid)], capture_output=True, check=False)
        result(done.returncode == 2 and done.stderr.count(b"\n") == 1, "map --html ends with status 2 if the file cannot be created", done)
        browser = open_browser(webdriver)
        try:
            browser.set_script_timeout(120)
            judge_page(browser, path, tool, str(child.pid), keep)
            judge_many(browser, path, keep)
            judge_check(browser, tool, folder, keep)
            judge_narrow(browser, os.path.join(folder, "check.html"))
            judge_diff(browser, tool, folder)
        finally:
            browser.quit()
            child.stdin.close()
    end_with_total()


main()
