// The parts that pages are made of. Text always becomes text nodes: nothing here can turn data into markup.

import { html, nothing, render } from "./lit/lit-html.js";
import { repeat } from "./lit/directives/repeat.js";
import { duration, fieldTime, fromField, now, relative, time } from "./format.js";

export { html, nothing, render, repeat };

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu;
const MAX_MARKS = 2000;

function codes(run) {
	const points = [...run];
	const shown = points.slice(0, 8).map((c) => `U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`);
	return shown.join(" ") + (points.length > 8 ? ` … ×${points.length}` : "");
}

function visible(text, multiline) {
	const parts = [];
	let from = 0;
	let marks = 0;
	for (const match of text.matchAll(INVISIBLE)) {
		const run = match[0];
		if (multiline && /^[\n\t]+$/.test(run)) {
			continue;
		}
		parts.push(text.slice(from, match.index));
		from = match.index + run.length;
		if (++marks > MAX_MARKS) {
			parts.push("\uFFFD");
			continue;
		}
		for (const part of multiline ? run.split(/([\n\t]+)/) : [run]) {
			if (part !== "") {
				parts.push(/^[\n\t]+$/.test(part) && multiline ? part : html`<span class="invisible">${codes(part)}</span>`);
			}
		}
	}
	parts.push(text.slice(from));
	return parts;
}

// Shows text of unknown origin: kept apart from the text around it, with what can't be seen made visible.
export const foreign = (text) => {
	const [, before, inner, after] = /^( *)(.*?)( *)$/su.exec(String(text));
	const blanks = (count) => (count > 0 ? html`<span class="invisible">blank${count > 1 ? ` ×${count}` : ""}</span>` : nothing);
	return html`<bdi>${blanks(before.length)}${visible(inner, false)}${blanks(after.length)}</bdi>`;
};

export const foreignLines = (text) => html`<bdi dir="auto">${visible(String(text), true)}</bdi>`;

export const link = (href, content, label) => html`<a href=${href} data-nav aria-label=${label ?? nothing}>${content}</a>`;

export const badge = (text, kind = "", title = nothing) => html`<span class="badge ${kind}" title=${title}>${text}</span>`;

export const empty = (message) => html`<p class="empty">${message}</p>`;

export function at(millis) {
	const date = new Date(millis);
	const iso = Number.isNaN(date.getTime()) ? nothing : date.toISOString();
	return html`<time datetime=${iso} title=${iso}>${time(millis)}</time>`;
}

export function toast(message, kind = "info") {
	const box = document.createElement("div");
	box.className = `toast ${kind}`;
	box.textContent = message;
	document.getElementById("toasts").append(box);
	setTimeout(() => box.remove(), kind === "error" ? 8000 : 4000);
}

// A dialog that is gone when it is closed. The view gets what closes it with an answer, which is empty after Escape
export function openDialog(view, kind = "") {
	const dialog = document.createElement("dialog");
	dialog.className = kind;
	dialog.setAttribute("aria-labelledby", "dialog-title");
	render(view((answer) => dialog.close(answer)), dialog);
	document.body.append(dialog);
	dialog.showModal();
	return new Promise((resolve) => dialog.addEventListener("close", () => {
		dialog.remove();
		resolve(dialog.returnValue);
	}));
}

// Whether someone means it
export const ask = async (title, text, label, kind = "primary") => await openDialog((close) => html`<h2 id="dialog-title">${title}</h2><p>${text}</p>
	<div class="dialog-buttons"><button type="button" data-dialog="cancel" @click=${() => close("")}>Cancel</button>
		<button type="button" class=${kind} data-dialog="go" @click=${() => close("go")}>${label}</button></div>`) === "go";

// Does what a button is for, says that it was done, and shows what has become of it
export async function attempt(app, call, done) {
	try {
		await call();
		toast(done);
	}
	catch (error) {
		toast(error.message, "error");
	}
	await app.refresh();
}

async function copy(button, text, what) {
	const value = typeof text === "function" ? await text() : text;
	try {
		await navigator.clipboard.writeText(value);
	}
	catch {
		const area = document.createElement("textarea");
		area.className = "offscreen";
		area.setAttribute("aria-hidden", "true");
		area.value = value;
		document.body.append(area);
		area.select();
		document.execCommand("copy");
		area.remove();
		button.focus();
	}
	toast(`Copied ${what}`);
}

export const copyButton = (text, what) => html`<button type="button" class="small quiet" aria-label="Copy ${what}"
	@click=${(event) => copy(event.currentTarget, text, what).catch((error) => toast(error.message, "error"))}>Copy</button>`;

// How long ago something was, or how long it has lasted, which goes on while the page is looked at
class Elapsed extends HTMLElement {
	static observedAttributes = ["since", "lasting"];

	connectedCallback() {
		Elapsed.shown.add(this);
		this.show();
	}

	disconnectedCallback() {
		Elapsed.shown.delete(this);
	}

	attributeChangedCallback() {
		this.show();
	}

	show() {
		const since = Number(this.getAttribute("since"));
		const text = this.hasAttribute("lasting") ? duration(now() - since) : relative(since);
		if (this.textContent !== text) {
			this.textContent = text;
		}
	}
}
Elapsed.shown = new Set();
customElements.define("lowkiq-elapsed", Elapsed);
setInterval(() => Elapsed.shown.forEach((element) => element.show()), 1000);

export const ago = (millis) => html`<lowkiq-elapsed since=${millis}></lowkiq-elapsed>`;

export const lasting = (since) => html`<lowkiq-elapsed since=${since} lasting></lowkiq-elapsed>`;

// Rows in the order of a column; of the same value, as they come. The sort is the column's key, with a minus for descending
export function sorted(rows, columns, sort) {
	const column = columns.find((each) => each.key === sort?.replace(/^-/, ""));
	if (!column) {
		return rows;
	}
	const sign = sort.startsWith("-") ? -1 : 1;
	return [...rows].sort((a, b) => {
		const [x, y] = [column.value(a), column.value(b)];
		return sign * (x < y ? -1 : x > y ? 1 : 0);
	});
}

function head(column, sort, onSort) {
	if (!column.value || !onSort) {
		return html`<th scope="col" class=${column.number ? "number" : ""}>${column.label}</th>`;
	}
	const descending = `-${column.key}`;
	const state = sort === column.key ? "ascending" : sort === descending ? "descending" : "none";
	const next = sort === column.key ? descending : sort === descending || !column.number ? column.key : descending;
	return html`<th scope="col" class=${column.number ? "number" : ""} aria-sort=${state}>
		<button type="button" class="sort" @click=${() => onSort(next)}>${column.label}</button></th>`;
}

// A table whose rows are kept by key, so that an update moves no focus and selects no text away. A row can have another one below
// it with its details. Columns: key, label, number, value (to sort by) and cell
export function table({ caption, name, columns, rows, sort, onSort, none, below }) {
	if (rows.length === 0) {
		return empty(none ?? "Nothing here.");
	}
	const cell = (column, row, place) => (place === 0
		? html`<th scope="row" class=${column.name ?? ""} data-label=${column.label}>${column.cell(row)}</th>`
		: html`<td class="${column.number ? "number" : ""} ${column.name ?? ""}" data-label=${column.label}>${column.cell(row)}</td>`);
	return html`<div class="table-wrap" tabindex="0" role="region" aria-label=${caption}>
		<table class=${name}>
			<caption class="hidden">${caption}</caption>
			<thead><tr>${columns.map((column) => head(column, sort, onSort))}</tr></thead>
			<tbody>${repeat(rows, (row) => row.key, (row) => html`<tr>${columns.map((column, place) => cell(column, row, place))}</tr>
				${below?.(row) ? html`<tr class="detail"><td colspan=${columns.length}>${below(row)}</td></tr>` : nothing}`)}</tbody>
		</table></div>`;
}

// Two fields for a time, of which each may be empty. The end is the minute after the one that is chosen
export function timeRange(label, { from, until }, onChange, button = "Show") {
	const submit = (event) => {
		event.preventDefault();
		const chosen = Object.fromEntries(new FormData(event.target));
		const end = fromField(chosen.until);
		onChange({ from: fromField(chosen.from), until: end === null ? null : end + 60000 });
	};
	return html`<form class="filter-form times" aria-label=${label} @submit=${submit}>
		<label for="time-from">${label} from</label><input type="datetime-local" id="time-from" name="from" .value=${fieldTime(from)}>
		<label for="time-until">to</label><input type="datetime-local" id="time-until" name="until" .value=${fieldTime(until === null ? null : until - 60000)}>
		<button type="submit">${button}</button></form>`;
}

const number = (text) => (text === null ? null : Number(text));

export const timesOf = (parameters) => ({ from: number(parameters.get("from")), until: number(parameters.get("until")) });

export const facts = (rows) => html`<dl class="facts">${rows.filter(Boolean)
	.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
