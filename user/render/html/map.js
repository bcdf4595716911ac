// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws the tables of one process, without the addresses between them.
import { select, event } from "d3-selection";
import { zoom, zoomIdentity } from "d3-zoom";
import { scaleLinear } from "d3-scale";

const data = JSON.parse(document.getElementById("data").textContent);
const HUGE = 1, COUNTED = 2;
const nr = data.slots.length;
const canvas = document.getElementById("map");
const pen = canvas.getContext("2d");
const tip = document.getElementById("tip");
const found = document.getElementById("found");

// Sums before each table, so that any range is counted in one step.
const starts = new Float64Array(nr);
const sums = { used: new Float64Array(nr + 1), counted: new Float64Array(nr + 1), empty: new Float64Array(nr + 1), huge: new Float64Array(nr + 1) };
for (let i = 0, slot = 0; i < nr; i++) {
	const kind = data.kinds[i];
	slot += data.slots[i];
	starts[i] = slot * data.reach;
	sums.used[i + 1] = sums.used[i] + (kind & COUNTED ? data.used[i] : 0);
	sums.counted[i + 1] = sums.counted[i] + (kind & COUNTED ? 1 : 0);
	sums.empty[i + 1] = sums.empty[i] + (kind & COUNTED && !data.used[i] ? 1 : 0);
	sums.huge[i + 1] = sums.huge[i] + (kind & HUGE ? 1 : 0);
}

const hex = (n) => "0x" + n.toString(16);
const size = (n) => {
	let unit = 0;
	for (; n >= 1024 && unit < 6; unit++)
		n /= 1024;
	return (n >= 100 || n === Math.round(n) ? Math.round(n) : n.toFixed(1)) + "BKMGTPE"[unit];
};
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const percent = (used, room) => (room ? ((100 * used) / room).toFixed(1) : "-");

let width = 0, height = 0, x, view = zoomIdentity, colours, queued = false;

function readColours() {
	colours = {};
	for (const name of ["full", "sparse", "empty", "huge", "unknown", "even", "odd", "back"])
		colours[name] = style(name);
	colours.scale = scaleLinear().domain([0, 1]).range([colours.sparse, colours.full]).clamp(true);
	colours.steps = Array.from({ length: 65 }, (_, i) => colours.scale(i / 64));
}

// Tables from..to as one colour: the share of empty ones stands below the others.
function column(left, wide, from, to) {
	const counted = sums.counted[to] - sums.counted[from];
	const huge = sums.huge[to] - sums.huge[from];
	const top = height * 0.15, tall = height - top;
	const row = data.rows[from];
	pen.fillStyle = row < 0 ? colours.unknown : row & 1 ? colours.odd : colours.even;
	pen.fillRect(left, 0, wide, top - 2);
	if (!counted) {
		pen.fillStyle = huge ? colours.huge : colours.unknown;
		pen.fillRect(left, top, wide, tall);
		return;
	}
	const empty = (tall * (sums.empty[to] - sums.empty[from])) / (to - from);
	const blue = (tall * huge) / (to - from);
	const fill = (sums.used[to] - sums.used[from]) / (counted * data.entries);
	pen.fillStyle = colours.steps[Math.round(fill * 64)];
	pen.fillRect(left, top, wide, tall);
	pen.fillStyle = colours.huge;
	pen.fillRect(left, top, wide, blue);
	pen.fillStyle = colours.empty;
	pen.fillRect(left, height - empty, wide, empty);
}

function draw() {
	queued = false;
	const shown = view.rescaleX(x);
	pen.clearRect(0, 0, width, height);
	const first = Math.max(0, Math.floor(shown.invert(0)));
	const last = Math.min(nr, Math.ceil(shown.invert(width)));
	const each = shown(1) - shown(0);
	if (each >= 1) {
		for (let i = first; i < last; i++)
			column(shown(i), each > 3 ? each - 1 : each, i, i + 1);
	} else {
		for (let left = 0; left < width; left++) {
			const from = Math.max(0, Math.floor(shown.invert(left)));
			const to = Math.min(nr, Math.max(from + 1, Math.floor(shown.invert(left + 1))));
			if (from < nr && to > from)
				column(left, 1, from, to);
		}
	}
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

function resize() {
	const ratio = window.devicePixelRatio || 1;
	width = canvas.clientWidth;
	height = canvas.clientHeight;
	canvas.width = width * ratio;
	canvas.height = height * ratio;
	pen.setTransform(ratio, 0, 0, ratio, 0, 0);
	x = scaleLinear().domain([0, Math.max(nr, 1)]).range([0, width]);
	behaviour.scaleExtent([1, Math.max(1, (nr * 40) / width)]).extent([[0, 0], [width, height]])
		.translateExtent([[0, 0], [width, height]]);
	redraw();
}

// Show tables from..to, and some beside them.
function show(from, to) {
	const k = Math.min(behaviour.scaleExtent()[1], Math.max(1, nr / Math.max(1, (to - from) * 1.2)));
	const middle = x((from + to) / 2);
	select(canvas).call(behaviour.transform, zoomIdentity.translate(width / 2 - middle * k, 0).scale(k));
}

function name(row) {
	return row < 0 ? "(no mapping)" : data.mappings[row][0];
}

function say(i) {
	const kind = data.kinds[i];
	const what = kind & HUGE ? "huge page" : kind & COUNTED ? `${data.used[i]} of ${data.entries} entries used` : "not counted";
	tip.textContent = `${hex(starts[i])}  ${what}  ${name(data.rows[i])}`;
}

// The table that maps the address, or the first one behind it.
function at(address) {
	let low = 0, high = nr;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (starts[middle] + data.reach <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

function showRow(row) {
	const from = data.rows.indexOf(row), to = data.rows.lastIndexOf(row);
	if (from < 0)
		return false;
	show(from, to + 1);
	say(from);
	return true;
}

function search(text) {
	found.textContent = "";
	if (/^(0x)?[0-9a-f]{4,}$/i.test(text)) {
		const i = at(parseInt(text, 16));
		if (i < nr) {
			show(i, i + 1);
			say(i);
			found.textContent = starts[i] <= parseInt(text, 16) ? "a table maps it" : "no table maps it; this is the next one";
			return;
		}
	}
	const row = data.mappings.findIndex((m) => m[0].includes(text));
	found.textContent = row >= 0 && showRow(row) ? data.mappings[row][0] : "not found";
}

function fillTable(id, headings, rows) {
	const table = document.getElementById(id);
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
	line(headings, "th");
	return rows.map((row) => line(row, "td"));
}

document.title = `ptaudit map ${data.comm} (${data.pid})`;
document.getElementById("title").textContent =
	`${data.comm} (${data.pid}): tables ${size(data.total)}, waste ${size(data.waste)}`;
document.getElementById("source").textContent = `${data.source}; Linux ${data.kernel}, ${data.time}` +
	(data.unseen ? `; VmPTE has ${size(data.unseen)} more than is drawn` : "");
for (const [colour, text] of [["full", "full"], ["sparse", "sparse"], ["empty", "empty"], ["huge", "huge pages"], ["unknown", "not counted"]]) {
	const key = document.createElement("span");
	key.className = "key";
	key.style.background = `var(--${colour})`;
	document.getElementById("legend").append(key, text);
}
fillTable("levels", ["tables", "size", "used", "fill %", "empty", "huge", "level"],
	data.levels.map((l) => [l[1], size(l[2]), l[3], percent(l[3], l[4]), l[5] < 0 ? "-" : l[5], l[6], l[0]]));
fillTable("rows", ["waste", "size", "tables", "empty", "fill %", "huge", "start", "mapping"],
	data.mappings.map((m) => [size(m[3]), size(m[4]), m[5], m[6] < 0 ? "-" : m[6], percent(m[7], m[8]), m[9], m[1], m[0]]))
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
document.getElementById("find").addEventListener("change", (e) => search(e.target.value.trim()));
document.getElementById("all").addEventListener("click", () => show(0, nr));
document.addEventListener("keydown", (e) => {
	if (e.target.tagName === "INPUT" || e.ctrlKey || e.altKey || e.metaKey)
		return;
	const on = select(canvas);
	const keys = {
		"+": () => on.call(behaviour.scaleBy, 2),
		"-": () => on.call(behaviour.scaleBy, 0.5),
		"0": () => show(0, nr),
		ArrowLeft: () => on.call(behaviour.translateBy, width / 4 / view.k, 0),
		ArrowRight: () => on.call(behaviour.translateBy, -width / 4 / view.k, 0),
		"/": () => document.getElementById("find").focus(),
	};
	if (keys[e.key]) {
		keys[e.key]();
		e.preventDefault();
	}
});
window.addEventListener("resize", resize);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColours(); redraw(); });
readColours();
resize();
