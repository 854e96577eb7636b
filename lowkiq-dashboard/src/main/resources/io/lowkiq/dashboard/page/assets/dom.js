// Builds elements. Text always becomes text nodes: nothing here can turn data into markup.

export function h(tag, attributes, ...children) {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes ?? {})) {
		if (value === undefined || value === null || value === false) {
			continue;
		}
		if (name.startsWith("on")) {
			element.addEventListener(name.slice(2), value);
		}
		else {
			element.setAttribute(name, value === true ? "" : String(value));
		}
	}
	append(element, children);
	return element;
}

export function append(element, children) {
	for (const child of children.flat(Infinity)) {
		if (child !== undefined && child !== null && child !== false) {
			element.append(child instanceof Node ? child : document.createTextNode(String(child)));
		}
	}
}

export function replace(element, ...children) {
	element.replaceChildren();
	append(element, children);
}

export function setText(node, text) {
	if (node.textContent !== text) {
		node.textContent = text;
	}
}

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu;
const MOST_MARKS = 2000;

function codes(run) {
	const points = [...run];
	const shown = points.slice(0, 8).map((c) => `U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`);
	return shown.join(" ") + (points.length > 8 ? ` … ×${points.length}` : "");
}

// Shows text of unknown origin: kept apart from the text around it, with what can't be seen made visible.
export function foreign(text, { multiline = false, tag = "bdi" } = {}) {
	const element = h(tag, tag === "bdi" ? {} : { dir: "auto" });
	let from = 0;
	let marks = 0;
	for (const match of String(text).matchAll(INVISIBLE)) {
		const run = match[0];
		if (multiline && /^[\n\t]+$/.test(run)) {
			continue;
		}
		element.append(document.createTextNode(text.slice(from, match.index)));
		from = match.index + run.length;
		if (++marks > MOST_MARKS) {
			element.append(document.createTextNode("\uFFFD"));
			continue;
		}
		for (const part of multiline ? run.split(/([\n\t]+)/) : [run]) {
			if (part !== "") {
				element.append(/^[\n\t]+$/.test(part) && multiline ? document.createTextNode(part)
					: h("span", { class: "invisible" }, codes(part)));
			}
		}
	}
	element.append(document.createTextNode(text.slice(from)));
	return element;
}

export function copyButton(text, what) {
	const button = h("button", { type: "button", class: "small quiet", "aria-label": `Copy ${what}` }, "Copy");
	button.addEventListener("click", async () => {
		const value = typeof text === "function" ? await text() : text;
		try {
			await navigator.clipboard.writeText(value);
		}
		catch {
			const area = h("textarea", { class: "offscreen", "aria-hidden": "true" });
			area.value = value;
			document.body.append(area);
			area.select();
			document.execCommand("copy");
			area.remove();
			button.focus();
		}
		button.textContent = "Copied";
		toast(`Copied ${what}`);
		setTimeout(() => { button.textContent = "Copy"; }, 1500);
	});
	return button;
}

export function toast(message, kind = "info") {
	const box = h("div", { class: `toast ${kind}` }, message);
	document.getElementById("toasts").append(box);
	setTimeout(() => box.remove(), kind === "error" ? 8000 : 4000);
}

export function empty(message) {
	return h("p", { class: "empty" }, message);
}

export function timeTag(millis, text) {
	const date = new Date(millis);
	const valid = !Number.isNaN(date.getTime());
	return h("time", { datetime: valid ? date.toISOString() : null, title: valid ? date.toISOString() : null }, text);
}

// A table whose rows are kept by key, so that an update moves no focus and selects no text away.
export class LiveTable {
	constructor({ caption, columns, empty: none, sort, class: name }) {
		this.columns = columns;
		this.sort = sort ?? null;
		this.rows = new Map();
		this.items = [];
		this.body = h("tbody");
		this.none = h("p", { class: "empty", hidden: true }, none ?? "Nothing here.");
		this.heads = columns.map((column) => this.head(column));
		this.table = h("table", { class: name }, h("caption", { class: "hidden" }, caption),
			h("thead", {}, h("tr", {}, this.heads)), this.body);
		this.element = h("div", { class: "table-wrap", tabindex: "0", role: "region", "aria-label": caption }, this.table, this.none);
	}

	head(column) {
		const name = column.number ? "number" : null;
		if (!column.value) {
			return h("th", { scope: "col", class: name }, column.label);
		}
		const head = h("th", { scope: "col", class: name, "aria-sort": "none" },
			h("button", { type: "button", class: "sort", onclick: () => this.sortBy(column) }, column.label));
		return head;
	}

	sortBy(column) {
		const descending = this.sort?.key === column.key ? !this.sort.descending : Boolean(column.number);
		this.sort = { key: column.key, descending };
		this.update(this.items);
	}

	update(items) {
		this.items = items;
		const sorted = [...items];
		const column = this.columns.find((each) => each.key === this.sort?.key);
		if (column) {
			const sign = this.sort.descending ? -1 : 1;
			sorted.sort((a, b) => {
				const [x, y] = [column.value(a), column.value(b)];
				return sign * (x < y ? -1 : x > y ? 1 : 0);
			});
		}
		this.columns.forEach((each, i) => {
			if (each.value) {
				const state = each.key === this.sort?.key ? (this.sort.descending ? "descending" : "ascending") : "none";
				this.heads[i].setAttribute("aria-sort", state);
			}
		});
		const seen = new Set();
		sorted.forEach((item, place) => {
			const key = item.key;
			seen.add(key);
			let row = this.rows.get(key);
			if (!row) {
				row = this.row();
				this.rows.set(key, row);
			}
			this.columns.forEach((each, i) => {
				const cell = row.cells[i];
				const text = each.signature ? each.signature(item) : String(each.text(item));
				if (cell.dataset.shown !== text) {
					cell.dataset.shown = text;
					replace(cell, each.render ? each.render(item) : each.text(item));
				}
			});
			if (this.body.children[place] !== row.element) {
				this.body.insertBefore(row.element, this.body.children[place] ?? null);
			}
		});
		for (const [key, row] of this.rows) {
			if (!seen.has(key)) {
				row.element.remove();
				this.rows.delete(key);
			}
		}
		this.none.hidden = items.length > 0;
		this.table.hidden = items.length === 0;
	}

	row() {
		const cells = this.columns.map((column, i) => h(i === 0 ? "th" : "td",
			{ scope: i === 0 ? "row" : null, class: column.number ? "number" : null, "data-label": column.label }));
		return { cells, element: h("tr", {}, cells) };
	}
}
