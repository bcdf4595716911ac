// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws the tables of one process without the addresses between them: one map, the
// sides of a check, or the maps of two moments.
import { select, event } from "d3-selection";
import { zoom, zoomIdentity } from "d3-zoom";
import { scaleLinear } from "d3-scale";

const data = JSON.parse(document.getElementById("data").textContent);
const HUGE = 1, COUNTED = 2, NONE = 3;
const LEVELS = ["pte", "pmd", "pud", "p4d", "pgd"];
const nr = data.slots.length;
const sides = data.sides;
const several = data.mode !== "map";
const byId = (id) => document.getElementById(id);
const canvas = byId("map");
const pen = canvas.getContext("2d");
const tip = byId("tip");
const found = byId("found");
// The most severe mark comes last: it is drawn over the others, with a visible
// height.
const causes = data.causes.map(([mark, name, text, tables]) => ({ mark, name, text, tables }));
const causeOf = [];
for (const cause of causes)
	causeOf[cause.mark] = cause;

// Prefix sums over the items, to count any range in one step.
function sumUp(which) {
	const sums = new Uint32Array(nr + 1);
	for (let i = 0; i < nr; i++)
		sums[i + 1] = sums[i] + which(i);
	return sums;
}
const starts = new Float64Array(nr);
for (let i = 0, slot = 0; i < nr; i++) {
	slot += data.slots[i];
	starts[i] = slot * data.reach;
}
const levelOf = (i) => (several ? data.above[i] : 0);
for (const side of sides) {
	const has = (i) => (levelOf(i) ? -1 : side.kinds[i]);
	side.marked = [];
	side.sums = {
		used: sumUp((i) => (has(i) === COUNTED ? side.used[i] : 0)),
		counted: sumUp((i) => has(i) === COUNTED),
		empty: sumUp((i) => has(i) === COUNTED && !side.used[i]),
		huge: sumUp((i) => has(i) === HUGE),
		none: sumUp((i) => side.kinds[i] === NONE),
	};
}
for (const cause of causes) {
	cause.sums = sumUp((i) => data.marks[i] === cause.mark);
	for (const side of sides)
		side.marked.push(sumUp((i) => data.marks[i] === cause.mark && side.kinds[i] !== NONE));
}
const between = (sums, from, to) => sums[to] - sums[from];

const hex = (n) => "0x" + n.toString(16);
const size = (n) => {
	let unit = 0;
	for (; Math.round(n) >= 1024 && unit < 6; unit++)
		n /= 1024;
	return (n >= 100 || n === Math.round(n) ? Math.round(n) : n.toFixed(1)) + "BKMGTPE"[unit];
};
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const percent = (used, room) => (room ? ((100 * used) / room).toFixed(1) : "-");

let width = 0, height = 0, x, view = zoomIdentity, colours, queued = false;
// A check without a difference has nothing to show by cause.
let byCause = data.mode === "check" && causes.length > 0;

function readColours() {
	colours = {};
	for (const name of ["full", "sparse", "empty", "huge", "unknown", "even", "odd", "plain"])
		colours[name] = style(name);
	for (const cause of causes)
		cause.colour = style(cause.name);
	const scale = scaleLinear().domain([0, 1]).range([colours.sparse, colours.full]).clamp(true);
	colours.steps = Array.from({ length: 65 }, (_, i) => (byCause ? colours.plain : scale(i / 64)));
}

// Positions of the bands: mappings, marks, and a strip for each side.
function bands() {
	const gap = 4, first = Math.round(height * (several ? 0.08 : 0.15));
	const marks = several ? Math.round(height * 0.14) : 0;
	const top = first + 2 + (several ? marks + gap : 0);
	const tall = (height - top - gap * (sides.length - 1)) / sides.length;
	return { first, marksTop: first + 2, marks, strips: sides.map((_, k) => [Math.round(top + k * (tall + gap)), Math.floor(tall)]) };
}

// Draws items from..to of one side. The height of a bar is the share of places with a
// table; within it, marked or empty tables are at the bottom, huge pages at the top.
function strip(side, [top, tall], left, wide, from, to) {
	const sums = side.sums, there = to - from - between(sums.none, from, to);
	if (!there)
		return;
	const bottom = top + tall, high = Math.max(Math.round((tall * there) / (to - from)), 1);
	const counted = between(sums.counted, from, to), huge = between(sums.huge, from, to);
	const fill = counted ? between(sums.used, from, to) / (counted * data.entries) : 0;
	pen.fillStyle = counted ? colours.steps[Math.round(fill * 64)] : huge ? colours.huge : colours.unknown;
	pen.fillRect(left, bottom - high, wide, high);
	if (counted && huge) {
		pen.fillStyle = colours.huge;
		pen.fillRect(left, bottom - high, wide, Math.round((high * huge) / there));
	}
	let at = bottom;
	const share = (number, colour) => {
		const part = number && Math.max(Math.round((high * number) / there), 1);
		at -= part;
		pen.fillStyle = colour;
		if (part)
			pen.fillRect(left, at, wide, part);
	};
	if (byCause && several)
		causes.forEach((cause, k) => share(between(side.marked[k], from, to), cause.colour));
	else
		share(between(sums.empty, from, to), colours.empty);
}

function marks(place, left, wide, from, to) {
	let at = place.marksTop + place.marks;
	let any = 0;
	for (const cause of causes)
		any += between(cause.sums, from, to);
	if (!any)
		return;
	for (const cause of causes) {
		const number = between(cause.sums, from, to);
		if (!number)
			continue;
		const high = (place.marks * number) / any;
		at -= high;
		pen.fillStyle = cause.colour;
		pen.fillRect(left, at, wide, high);
	}
	// one unexplained table among thousands must be visible
	const worst = causes[causes.length - 1];
	if (worst.name === "unexplained" && between(worst.sums, from, to)) {
		pen.fillStyle = worst.colour;
		pen.fillRect(left - 1, place.marksTop, Math.max(wide, 3), place.marks);
	}
}

function column(place, left, wide, from, to) {
	const row = data.rows[from];
	pen.fillStyle = row < 0 ? colours.unknown : row & 1 ? colours.odd : colours.even;
	pen.fillRect(left, 0, wide, place.first);
	for (let k = 0; k < sides.length; k++)
		strip(sides[k], place.strips[k], left, wide, from, to);
}

// Addresses below the picture: each label is that of the item above its left end.
const LABEL = 150;
function drawAxis(shown) {
	const axis = byId("axis"), number = Math.max(1, Math.floor(width / LABEL));
	while (axis.children.length > number)
		axis.lastChild.remove();
	while (axis.children.length < number)
		axis.append(document.createElement("span"));
	for (let k = 0; k < number; k++) {
		const i = Math.floor(shown.invert((k * width) / number));
		axis.children[k].style.left = `${(100 * k) / number}%`;
		axis.children[k].textContent = i >= 0 && i < nr ? hex(starts[i]) : "";
	}
}

function draw() {
	queued = false;
	const shown = view.rescaleX(x), place = bands();
	pen.clearRect(0, 0, width, height);
	const first = Math.max(0, Math.floor(shown.invert(0)));
	const last = Math.min(nr, Math.ceil(shown.invert(width)));
	const each = shown(1) - shown(0);
	const todo = [];
	if (each >= 1) {
		for (let i = first; i < last; i++)
			todo.push([shown(i), each > 3 ? each - 1 : each, i, i + 1]);
	} else {
		for (let left = 0; left < width; left++) {
			const from = Math.max(0, Math.floor(shown.invert(left)));
			const to = Math.min(nr, Math.max(from + 1, Math.floor(shown.invert(left + 1))));
			if (from < nr && to > from)
				todo.push([left, 1, from, to]);
		}
	}
	drawAxis(shown);
	for (const [left, wide, from, to] of todo)
		column(place, left, wide, from, to);
	if (several)
		for (const [left, wide, from, to] of todo)
			marks(place, left, wide, from, to);
}

function redraw() {
	if (!queued)
		requestAnimationFrame(draw);
	queued = true;
}

const behaviour = zoom().on("zoom", () => {
	view = event.transform;
	redraw();
});

function nameBands() {
	const place = bands(), names = byId("names");
	names.textContent = "";
	const put = (text, top, tall) => {
		const span = document.createElement("span");
		span.textContent = text;
		span.style.top = top + tall / 2 + "px";
		names.append(span);
	};
	put("mappings", 0, place.first);
	if (several)
		put(data.mode === "check" ? "differences" : "came, went", place.marksTop, place.marks);
	sides.forEach((side, k) => put(side.name, ...place.strips[k]));
}

// Keep the visible items when the width changes.
function resize() {
	const ratio = window.devicePixelRatio || 1, shown = x && view.rescaleX(x).domain();
	width = canvas.clientWidth;
	height = canvas.clientHeight;
	canvas.width = width * ratio;
	canvas.height = height * ratio;
	pen.setTransform(ratio, 0, 0, ratio, 0, 0);
	x = scaleLinear().domain([0, Math.max(nr, 1)]).range([0, width]);
	behaviour.scaleExtent([1, Math.max(1, (nr * 40) / width)]).extent([[0, 0], [width, height]])
		.translateExtent([[0, 0], [width, height]]);
	if (shown) {
		const k = Math.min(behaviour.scaleExtent()[1], nr / (shown[1] - shown[0]));
		select(canvas).call(behaviour.transform, zoomIdentity.scale(k).translate(-x(shown[0]), 0));
	}
	nameBands();
	redraw();
}

// Show items from..to with some context.
function show(from, to) {
	const k = Math.min(behaviour.scaleExtent()[1], Math.max(1, nr / Math.max(1, (to - from) * 1.2)));
	const left = width / 2 - x((from + to) / 2) * k;
	select(canvas).call(behaviour.transform, zoomIdentity.translate(Math.min(0, Math.max(width - width * k, left)), 0).scale(k));
}

function name(row) {
	return row < 0 ? "(no mapping)" : data.mappings[row][0];
}

function what(side, i) {
	const room = levelOf(i) ? "" : ` of ${data.entries}`;
	return ["not counted", "huge page", `${side.used[i]}${room} entries used`, "no table"][side.kinds[i]];
}

let said = -1;
function say(i) {
	const level = levelOf(i) ? LEVELS[levelOf(i)] + " table  " : "";
	const all = sides.map((side) => (several ? side.name + ": " : "") + what(side, i)).join("; ");
	const cause = several && causeOf[data.marks[i]];
	said = i;
	tip.textContent = `${hex(starts[i])}  ${level}${all}  ${name(data.rows[i])}` + (cause ? `  ${cause.name}: ${cause.text}` : "");
	tip.className = cause && cause.name === "unexplained" ? "unexplained" : "";
}

// The PTE table that maps the address, or the first item above it.
function at(address) {
	let low = 0, high = nr;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (starts[middle] + data.reach <= address)
			low = middle + 1;
		else
			high = middle;
	}
	while (low + 1 < nr && starts[low + 1] === starts[low])
		low++;
	return low;
}

function go(i) {
	show(i, i + 1);
	say(i);
}

function showRow(row) {
	const from = data.rows.indexOf(row), to = data.rows.lastIndexOf(row);
	if (from < 0)
		return false;
	show(from, to + 1);
	say(from);
	return true;
}

// The next marked item after the current one; the first one after the last.
function next(wanted) {
	for (let k = 1; k <= nr; k++) {
		const i = (said + k) % nr;
		if (several && (wanted ? data.marks[i] === wanted : data.marks[i])) {
			go(i);
			return true;
		}
	}
	return false;
}

function search(text) {
	found.textContent = "";
	if (!text)
		return;
	if (/^(0x)?[0-9a-f]{4,}$/i.test(text)) {
		const i = at(parseInt(text, 16));
		if (i < nr) {
			go(i);
			found.textContent = starts[i] <= parseInt(text, 16) ? "a table maps it" : "no table maps it; this is the next one";
			return;
		}
	}
	const cause = causes.find((c) => c.name === text);
	if (cause && next(cause.mark)) {
		found.textContent = cause.text;
		return;
	}
	const row = data.mappings.findIndex((m) => m[0].includes(text));
	found.textContent = row >= 0 && showRow(row) ? data.mappings[row][0] : "not found";
}

function fillTable(table, headings, rows, title) {
	const line = (cells, kind) => {
		const tr = document.createElement("tr");
		for (const cell of cells) {
			const td = document.createElement(kind);
			td.textContent = cell;
			tr.append(td);
		}
		table.append(tr);
		return tr;
	};
	if (title) {
		const caption = document.createElement("caption");
		caption.textContent = title;
		table.append(caption);
	}
	line(headings, "th");
	return rows.map((row) => line(row, "td"));
}

function addKey(to, colour) {
	const key = document.createElement("span");
	key.className = "key";
	key.style.background = `var(--${colour})`;
	to.append(key);
	return key;
}

function writeLegend() {
	const legend = byId("legend");
	legend.textContent = "";
	const fills = byCause ? [["plain", several ? "no difference" : "used"]] : [["full", "full"], ["sparse", "sparse"]];
	if (!byCause || !several)
		fills.push(["empty", "empty"]);
	for (const [colour, text] of [...fills, ["huge", "huge pages"], ["unknown", "not counted"]]) {
		addKey(legend, colour);
		legend.append(text);
	}
	byId("by").textContent = byCause ? "colour by fill (c)" : "colour by cause (c)";
}

function recolour() {
	byCause = !byCause;
	readColours();
	writeLegend();
	redraw();
}

function total(...names) {
	return causes.filter((c) => names.includes(c.name)).reduce((sum, c) => sum + c.tables, 0);
}

const open = total("unexplained", "undecided");
const differ = causes.reduce((sum, c) => sum + c.tables, 0);
function headline() {
	if (data.mode === "check")
		return !differ ? "the sides agree on every table" :
			open ? `${differ} differences, ${open} of them unexplained` : `${differ} differences, each with its cause`;
	if (data.mode === "diff")
		return `${total("came")} tables came, ${total("went")} went; ${size(sides[0].total)}, then ${size(sides[1].total)}`;
	return `tables ${size(sides[0].total)}, waste ${size(sides[0].waste)}`;
}

document.title = `ptaudit ${data.mode} ${data.comm} (${data.pid})`;
byId("title").textContent = `${data.comm} (${data.pid}): ${headline()}`;
byId("title").className = open ? "unexplained" : "";
const sources = data.mode === "diff" ? sides.map((s) => `${s.name}: ${s.source}, ${s.time}`) : [...sides.map((s) => s.source), data.time];
byId("source").textContent = [...sources, `Linux ${data.kernel}`,
	...sides.filter((s) => s.unseen).map((s) => `VmPTE has ${size(s.unseen)} more than is drawn${several ? " of " + s.name : ""}`)].join("; ");
canvas.className = several ? "sides" : "";
byId("next").hidden = !differ;
if (causes.length)
	fillTable(byId("causes"), ["tables", "cause", "meaning"], causes.map((c) => [c.tables, c.name, c.text]))
		.forEach((tr, k) => {
			tr.children[1].textContent = "";
			addKey(tr.children[1], causes[k].name);
			tr.children[1].append(causes[k].name);
			tr.className = causes[k].name === "unexplained" ? "unexplained" : "";
			tr.addEventListener("click", () => next(causes[k].mark));
		});
for (const side of sides) {
	const table = document.createElement("table");
	fillTable(table, ["tables", "size", "used", "fill %", "empty", "huge", "level"],
		side.levels.map((l) => [l[1], size(l[2]), l[3], percent(l[3], l[4]), l[5] < 0 ? "-" : l[5], l[6], l[0]]), several ? side.name : "");
	byId("levels").append(table);
}
// With several sides there is no space for all figures.
const shown = several ? [1, 2, 3, 4] : [0, 1, 2, 3, 4, 5];
const all = (m) => [size(m[0]), size(m[1]), m[2], m[3] < 0 ? "-" : m[3], percent(m[4], m[5]), m[6]];
const figures = (m) => shown.map((k) => (m ? all(m)[k] : "-"));
const headings = shown.map((k) => ["waste", "size", "tables", "empty", "fill %", "huge"][k]);
fillTable(byId("rows"),
	[...causes.map((c) => c.name), ...sides.flatMap((s) => (several ? headings.map((h, k) => (k ? h : `${s.name}: ${h}`)) : headings)), "start", "mapping"],
	data.mappings.map((m) => [...causes.map((c) => m[3][c.mark] || 0), ...sides.flatMap((_, k) => figures(m[4 + k])), m[1], m[0]]))
	.forEach((tr, row) => {
		tr.dataset.row = row;
		tr.addEventListener("click", () => showRow(row));
	});

select(canvas).call(behaviour);
canvas.addEventListener("mousemove", (e) => {
	const i = Math.floor(view.rescaleX(x).invert(e.offsetX));
	if (i >= 0 && i < nr)
		say(i);
});
byId("find").addEventListener("change", (e) => search(e.target.value.trim()));
byId("all").addEventListener("click", () => show(0, nr));
byId("by").addEventListener("click", recolour);
byId("next").addEventListener("click", () => next());
document.addEventListener("keydown", (e) => {
	if (e.target.tagName === "INPUT" || e.ctrlKey || e.altKey || e.metaKey)
		return;
	const on = select(canvas);
	const keys = {
		"+": () => on.call(behaviour.scaleBy, 2),
		"-": () => on.call(behaviour.scaleBy, 0.5),
		"0": () => show(0, nr),
		c: recolour,
		n: () => next(),
		ArrowLeft: () => on.call(behaviour.translateBy, width / 4 / view.k, 0),
		ArrowRight: () => on.call(behaviour.translateBy, -width / 4 / view.k, 0),
		"/": () => byId("find").focus(),
	};
	if (keys[e.key]) {
		keys[e.key]();
		e.preventDefault();
	}
});
window.addEventListener("resize", resize);
for (const when of ["beforeprint", "afterprint"])
	window.addEventListener(when, () => {
		readColours();
		resize();
		draw();
	});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
	readColours();
	redraw();
});
readColours();
writeLegend();
resize();
