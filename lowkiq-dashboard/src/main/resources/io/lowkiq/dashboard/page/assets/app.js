// Finds the page for the address, keeps it up to date, and says how old what it shows is.

import { ROOT, SERVER_AWAY, get, hasSources, loadSession, mayAct, needsCsrf, pageLink, queueLink } from "./api.js";
import { STALE, clock, clockName, duration, hear, isLocalUtc, number, switchClock } from "./format.js";
import { Overview } from "./overview.js";
import { badge, copyButton, foreign, foreignLines, html, link, nothing, openDialog, render, toast } from "./ui.js";

const INTERVAL = 2000;

// For a page that awaits more. The server answers what it has read last for as long
const SOON = 500;

// What is loaded when it is needed
const PAGES = {
	running: () => import("./running.js"), errors: () => import("./errors.js"), search: () => import("./search.js"), audit: () => import("./audit.js"),
	outbox: () => import("./outbox.js"), "follow-ups": () => import("./follow-ups.js"), schedules: () => import("./schedules.js"), sources: () => import("./sources.js"),
	help: () => import("./help.js")
};

const MENU = [["", "Overview", "o"], ["running", "Running", "r"], ["errors", "Errors", "e"], ["search", "Search", "s"], ["schedules", "Schedules", "c"], ["sources", "Sources", "k"],
	["audit", "Audit", "a"]];

// Only an application with sources has something to show of them
const menu = () => MENU.filter(([name]) => name !== "sources" || hasSources());

const KEYS = [["p", "Stop or continue updating"],
	["c", "Switch between UTC and local time"], ["t", "Switch between light, dark and the system's theme"], ["?", "Keyboard shortcuts"]];

// Where entries are cut off, the current one is seen. Only when it has changed: people may scroll
function showCurrent(lists) {
	for (const list of lists) {
		const current = list.querySelector("[aria-current]");
		if (current && current.href !== list.lowkiqShown) {
			list.lowkiqShown = current.href;
			list.scrollLeft = current.offsetLeft - (list.clientWidth - current.offsetWidth) / 2;
		}
	}
}

class NotFound {
	title = "Not found";
	crumbs = [];

	async refresh() {
	}

	view() {
		return html`<h1 tabindex="-1">Not found</h1><p>This page doesn't exist. ${link(ROOT.href, "Back to the overview")}</p>`;
	}
}

// The links of the document are relative to the address it was loaded from, which is about to change
function fixAddresses() {
	for (const name of ["href", "src"]) {
		for (const element of document.querySelectorAll(`[${name}]:not([${name}^="#"])`)) {
			element.setAttribute(name, element[name]);
		}
	}
}

function path() {
	const base = ROOT.pathname;
	const own = location.pathname;
	const rest = own + "/" === base ? "" : own.startsWith(base) ? own.slice(base.length) : "?";
	return rest.split("/").filter((part) => part !== "").map(decodeURIComponent);
}

async function page(app) {
	const parts = path();
	const parameters = new URLSearchParams(location.search);
	if (parts.length === 0) {
		return new Overview(app, parameters);
	}
	if (parts.length === 1 && Object.hasOwn(PAGES, parts[0])) {
		const { Page } = await PAGES[parts[0]]();
		return new Page(app, parameters);
	}
	if (parts[0] === "queues" && parts.length === 2) {
		const { QueuePage } = await import("./queue.js");
		return new QueuePage(app, parameters, parts[1]);
	}
	const id = parts[3] ?? parameters.get("id");
	if (parts[0] === "queues" && parts[2] === "jobs" && parts.length <= 4 && id) {
		const { JobPage } = await import("./job.js");
		return new JobPage(app, parts[1], id);
	}
	return new NotFound();
}

class App {
	constructor() {
		this.main = document.getElementById("main");
		this.paused = false;
		this.held = false;
		this.problem = null;
		this.loadedAt = null;
		this.running = [];
		this.names = {};
		this.opened = 0;
		fixAddresses();
		document.addEventListener("click", (event) => this.clicked(event));
		document.addEventListener("keydown", (event) => this.pressed(event));
		window.addEventListener("popstate", (event) => this.open(false).then(() => window.scrollTo(0, event.state?.y ?? 0)));
		document.addEventListener("visibilitychange", () => this.schedule(0));
		setInterval(() => this.drawBar(), 1000);
	}

	async start() {
		this.drawBar();
		const session = loadSession().catch((error) => toast(error.message, "error"));
		await this.open(false, true);
		await session;
		this.sessionLoaded = true;
		this.draw();
	}

	clicked(event) {
		const anchor = event.target.closest?.("a[data-nav]");
		if (!anchor || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
			return;
		}
		event.preventDefault();
		this.go(anchor.href);
	}

	pressed(event) {
		if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")
			|| event.target.closest?.("input, select, textarea")) {
			return;
		}
		const target = this.lastKey === "g" && menu().find(([, , key]) => key === event.key);
		const actions = {
			"/": () => document.getElementById("search").focus(), "p": () => this.pauseUpdates(), "c": () => this.changeClock(),
			"t": () => window.lowkiqTheme.toggle(), "?": () => this.showKeys()
		};
		this.lastKey = target ? null : event.key;
		if (target) {
			this.go(pageLink(target[0]));
		}
		else if (Object.hasOwn(actions, event.key)) {
			event.preventDefault();
			actions[event.key]();
		}
	}

	showKeys() {
		const keys = [["/", "Search"], ...menu().map(([, label, key]) => [`g ${key}`, label]), ...KEYS];
		openDialog((close) => html`<h2 id="dialog-title">Keyboard shortcuts</h2>
			<dl class="keys">${keys.map(([key, label]) => html`<div><dt>${key.split(" ").map((each) => html`<kbd>${each}</kbd> `)}</dt><dd>${label}</dd></div>`)}</dl>
			<div class="dialog-buttons"><button type="button" class="primary" @click=${() => close("")}>Close</button></div>`);
	}

	// What the buttons of this page do, to be repeated in a shell
	async showCurls() {
		const buttons = [...this.main.querySelectorAll("[data-action]")].filter((button) => button.lowkiqCurl);
		const edits = buttons.some((button) => button.dataset.action === "edit");
		const commands = await Promise.all(buttons.map(async (button) => [button.getAttribute("aria-label") ?? button.textContent.trim(), await button.lowkiqCurl()]));
		openDialog((close) => html`<h2 id="dialog-title">Actions as curl</h2>
			<p class="muted">Each command does what its button does, without asking for confirmation.${needsCsrf() ? " Add the CSRF header and the cookie of your session." : ""}
				${edits ? "To edit a payload, change “text”: it is the present payload." : ""}</p>
			<ul class="curls">${commands.map(([name, command]) => html`<li><div class="block-head"><strong>${foreign(name)}</strong>${copyButton(command, `curl: ${name}`)}</div>
				<pre tabindex="0">${foreignLines(command)}</pre></li>`)}</ul>
			<div class="dialog-buttons"><button type="button" class="primary" @click=${() => close("")}>Close</button></div>`, "wide");
	}

	go(href) {
		// Back finds the same place
		history.replaceState({ y: window.scrollY }, "");
		history.pushState(null, "", href);
		this.open(true);
	}

	// Remembers in the address what is shown, so that it is found again after Back
	remember(href) {
		history.replaceState(history.state, "", href);
	}

	async open(focus, first) {
		const opened = ++this.opened;
		let next;
		try {
			next = await page(this);
		}
		catch (error) {
			console.error(error);
			toast("The page can't be loaded. Reload it.", "error");
			return;
		}
		if (opened !== this.opened) {
			return;
		}
		this.current?.close?.();
		this.current = next;
		this.gone = null;
		this.drawTitle();
		render(nothing, this.main);
		this.draw();
		if (!first) {
			window.scrollTo(0, 0);
		}
		if (focus) {
			this.main.querySelector("h1")?.focus({ preventScroll: true });
		}
		await this.refresh();
	}

	crumbs() {
		const crumbs = this.current.crumbs;
		return crumbs.length < 2 ? nothing : html`<nav class="crumbs" aria-label="Breadcrumb"><ol>${crumbs.map(([text, href]) => html`<li>${href
			? link(href, foreign(text)) : html`<span aria-current="page">${foreign(text)}</span>`}</li>`)}</ol></nav>`;
	}

	draw() {
		if (this.current) {
			render(this.gone ? html`<h1 tabindex="-1">Not found</h1><p class="callout danger">${this.gone}</p>
				<p>${link(ROOT.href, "Back to the overview")}</p>` : html`${this.crumbs()}${this.current.view()}
				${this.hasActions ? html`<p class="end-of-page"><button type="button" class="small quiet" id="curl" @click=${() => this.showCurls().catch((error) => toast(error.message, "error"))}>Actions as curl…</button></p>` : nothing}`, this.main);
			const hasActions = this.main.querySelector("[data-action]") !== null;
			if (hasActions !== Boolean(this.hasActions)) {
				this.hasActions = hasActions;
				this.draw();
				return;
			}
		}
		this.drawBar();
		showCurrent(document.querySelectorAll(".tabs, .menu"));
	}

	// Trouble is seen in a tab that is not looked at, too
	drawTitle() {
		const danger = this.problem !== null || this.danger;
		const title = `${danger ? "(!) " : ""}${this.current?.title ?? ""} · Lowkiq`;
		if (document.title !== title) {
			document.title = title;
			const icon = document.querySelector("link[rel=icon]");
			icon.href = icon.href.replace(/icon(-trouble)?\.svg/, danger ? "icon-trouble.svg" : "icon.svg");
		}
	}

	drawBar() {
		this.drawTitle();
		const here = path()[0] ?? "";
		render(html`<nav class="menu" aria-label="Main"><ul>${menu().map(([name, label]) => html`<li><a href=${pageLink(name)} data-nav
				aria-current=${here === name ? "page" : nothing}>${label}</a></li>`)}</ul></nav>`, document.getElementById("navigation"));
		render(html`<form class="quick" role="search" aria-label="All queues" @submit=${(event) => this.search(event)}>
				<label class="hidden" for="search">Find an id in all queues</label>
				<input type="search" id="search" placeholder="Find an id" autocomplete="off" spellcheck="false">
				<button type="submit" class="icon-button" title="Find (Enter)"><span aria-hidden="true">⌕</span><span class="hidden">Find</span></button></form>
			${this.sessionLoaded && !mayAct() ? html`<span id="mode">${badge("read-only")}</span>` : nothing}
			${this.liveness()}
			<button type="button" class="icon-button" id="pause-updates" aria-pressed=${String(this.paused)} title="Stop updating (p)"
				@click=${() => this.pauseUpdates()}><span aria-hidden="true">${this.paused ? "▶" : "❚❚"}</span><span class="hidden">Stop updating</span></button>
			${isLocalUtc() ? html`<span class="muted small-text" id="clock">UTC</span>`
			: html`<button type="button" class="small quiet" id="clock" title="Switch between UTC and local time (c)"
				@click=${() => this.changeClock()}>${clockName()}</button>`}
			<button type="button" class="icon-button" id="theme" title="Switch between light, dark and the system's theme (t)" @click=${() => window.lowkiqTheme.toggle()}>
				<span aria-hidden="true">◐</span><span class="hidden">Switch between light, dark and the system's theme</span></button>
			<button type="button" class="icon-button" id="keys" title="Keyboard shortcuts (?)" @click=${() => this.showKeys()}>
				<span aria-hidden="true">?</span><span class="hidden">Keyboard shortcuts</span></button>`, document.getElementById("tools"));
		render([this.staleness(), this.running.map((run) => html`<p class="notice run"><span>${foreign(run.user)}: ${this.names[run.action] ?? run.action} in ${run.queue === "*" ? "all queues" : link(queueLink(run.queue), foreign(run.queue))},
				${number(run.changed)} of about ${number(run.total)}</span>
			<progress aria-label="Progress of ${this.names[run.action] ?? run.action}" max=${Math.max(run.total, 1)} value=${run.changed}></progress></p>`)],
		document.getElementById("notices"));
	}

	liveness() {
		const [state, text] = this.problem ? ["lost", this.problem.message === SERVER_AWAY ? "Connection lost" : "No data"]
			: this.isStale() ? ["lost", "No data"] : this.paused ? ["paused", "Paused"] : this.loadedAt === null ? ["wait", "Loading"] : ["live", `Updated ${Math.max(0, Math.round(this.age() / 1000))} s ago`];
		return html`<span class="live" id="live" data-state=${state}><span class="dot" aria-hidden="true"></span><span id="live-text">${text}</span></span>`;
	}

	age() {
		return this.loadedAt === null ? 0 : performance.now() - this.loadedAt;
	}

	// Whether what is shown may no longer be so
	isOutdated() {
		return this.problem !== null || this.isStale();
	}

	isStale() {
		return !this.paused && !this.held && !document.hidden && this.age() > STALE;
	}

	staleness() {
		if (this.paused && this.loadedAt !== null) {
			return html`<p class="notice" id="stale">Updates are stopped. This is from ${clock(this.loadedTime)}.</p>`;
		}
		if (!this.isStale() && !(this.problem && this.loadedAt === null)) {
			return nothing;
		}
		// While nothing is known, nobody is blamed
		const reason = this.problem ? this.problem.message : "No new data has come.";
		return html`<p class="notice danger" id="stale" role="alert">${reason}${this.loadedAt === null ? nothing
			: html` This data is ${duration(this.age()).replace(/\.\d/, "")} old, from ${clock(this.loadedTime)}.`}</p>`;
	}

	search(event) {
		event.preventDefault();
		const field = event.target.querySelector("input");
		if (field.value.trim() !== "") {
			this.go(pageLink("search", { text: field.value.trim() }));
			field.value = "";
		}
	}

	changeClock() {
		switchClock();
		this.current?.clockChanged?.();
		this.draw();
	}

	pauseUpdates() {
		this.paused = !this.paused;
		this.drawBar();
		this.schedule(0);
	}

	// A page tells by which clock of the store its data are
	heard(now) {
		hear(now);
		this.loadedAt = performance.now();
		this.loadedTime = now;
	}

	schedule(delay) {
		clearTimeout(this.timer);
		if (!document.hidden && !this.paused && !this.held) {
			this.timer = setTimeout(() => this.refresh(), delay);
		}
	}

	// From the end of the refresh that is under way until the next one is asked for
	async hold() {
		this.held = true;
		clearTimeout(this.timer);
		await this.refreshed;
	}

	refresh() {
		this.held = false;
		clearTimeout(this.timer);
		this.refreshed = this.refreshOnce();
		return this.refreshed;
	}

	// What concerns every page: what runs, and whether anything is wrong
	async heardOfAll(all) {
		if (all?.running.length > 0 && this.running.length === 0) {
			this.names = (await import("./actions.js")).NAMES;
		}
		this.running = all?.running ?? this.running;
		this.danger = all?.danger ?? this.danger;
	}

	async refreshOnce() {
		const current = this.current;
		const running = get("actions").catch(() => null);
		try {
			await current.refresh();
			await this.heardOfAll(await running);
			this.problem = null;
		}
		catch (error) {
			if (error.status === undefined) {
				console.error(error);
			}
			if (current === this.current) {
				this.gone = error.status === 404 ? error.message : this.gone;
				this.problem = error.status === 404 ? null : error;
			}
		}
		if (current === this.current) {
			this.draw();
			this.main.dataset.ready = "true";
			if (!this.gone) {
				this.schedule(current.soon?.() ? SOON : INTERVAL);
			}
		}
	}
}

new App().start();
