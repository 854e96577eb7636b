// A section of the operations guide, which comes with the dashboard, so that it is there without the internet, and of this version.

import { ApiError, get, pageLink } from "./api.js";
import { empty, html, link, nothing } from "./ui.js";

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|\[([^\]]+)\]\(([^)\s]+)\)/g;

// As in the anchors of headings on pages made of Markdown
const slug = (heading) => heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replace(/\s/g, "-");

// Code, stress and links. A link to another page has no address here
function inline(text) {
	const parts = [];
	let from = 0;
	for (const match of text.matchAll(INLINE)) {
		const [all, code, strong, stress, label, target] = match;
		parts.push(text.slice(from, match.index));
		from = match.index + all.length;
		parts.push(code ? html`<code>${code}</code>` : strong ? html`<strong>${inline(strong)}</strong>` : stress ? html`<em>${inline(stress)}</em>`
			: target.startsWith("#") ? link(pageLink("help", { about: target.slice(1) }), inline(label)) : html`${inline(label)} <span class="muted">(${target})</span>`);
	}
	return [...parts, text.slice(from)];
}

const cells = (row) => row.replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => inline(cell.trim()));

// A block of lines without an empty one between them
function block(lines) {
	const [first] = lines;
	if (first.startsWith("|")) {
		return html`<div class="table-wrap short" tabindex="0" role="region" aria-label="Table"><table><thead><tr>${cells(first).map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
			<tbody>${lines.slice(2).map((row) => html`<tr>${cells(row).map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`;
	}
	if (/^(-|\d+\.) /.test(first)) {
		const items = lines.join("\n").split(/\n?^(?:-|\d+\.) /m).slice(1).map((item) => html`<li>${inline(item.replace(/\n\s*/g, " "))}</li>`);
		return first.startsWith("-") ? html`<ul class="bullets">${items}</ul>` : html`<ol class="bullets">${items}</ol>`;
	}
	return html`<p>${inline(lines.join(" "))}</p>`;
}

// The sections of the guide, by their anchors, each with its heading, its blocks, and the anchors and headings of its parts
function sections(markdown) {
	const found = new Map();
	const above = [];
	let blocks = null;
	for (const part of markdown.split(/\n{2,}/)) {
		const heading = /^(#{1,4}) (.+)/.exec(part);
		if (heading) {
			const [, { length: level }, text] = heading;
			blocks = [];
			above[level] = { heading: text, blocks, parts: [] };
			above[level - 1]?.parts.push([slug(text), text]);
			found.set(slug(text), above[level]);
		}
		else if (blocks && !part.startsWith("<!--") && !part.startsWith("```")) {
			blocks.push(part.trimEnd().split("\n"));
		}
	}
	return found;
}

export class Page {
	constructor(app, parameters) {
		this.app = app;
		this.about = parameters.get("about") ?? "troubleshooting";
		this.title = "What to do";
		this.crumbs = [];
	}

	async refresh() {
		if (!this.sections) {
			const response = await fetch(new URL("operations.md", import.meta.url)).catch(() => null);
			// What else answers, such as a page to sign in, is not the guide
			if (!response?.ok || response.redirected) {
				throw new ApiError(0, "The guide can't be loaded.");
			}
			this.sections = sections(await response.text());
		}
		this.app.heard((await get("actions")).now);
	}

	section({ blocks, parts }) {
		return html`${blocks.map(block)}${parts.length === 0 ? nothing
			: html`<ul class="bullets">${parts.map(([about, heading]) => html`<li>${link(pageLink("help", { about }), inline(heading))}</li>`)}</ul>`}`;
	}

	view() {
		const section = this.sections?.get(this.about);
		return html`<h1 tabindex="-1">${section ? inline(section.heading) : "What to do"}</h1>
			<section class="card guide" aria-label="What to do">${section ? this.section(section) : empty(this.sections ? "The guide has no such section." : "Loading…")}</section>
			${section ? html`<p class="muted">From the guide “Operating Lowkiq”, which comes with this version.</p>` : nothing}`;
	}
}
