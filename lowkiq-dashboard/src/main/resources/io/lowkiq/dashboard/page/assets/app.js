// Finds the page for the address, and keeps it up to date.

import { ROOT, loadSession } from "./api.js";
import { foreign, h, replace, setText, toast } from "./dom.js";
import { JobPage } from "./job.js";
import { link } from "./links.js";
import { Overview } from "./overview.js";
import { QueuePage } from "./queue.js";

const INTERVAL = 2000;

class NotFound {
	constructor() {
		this.title = "Not found";
		this.element = h("div", {}, h("h1", { tabindex: "-1" }, "Not found"),
			h("p", {}, "This page doesn't exist. ", link(ROOT.href, "Back to the overview")));
	}

	crumbs() {
		return [];
	}

	async refresh() {
	}

	close() {
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

class App {
	constructor() {
		fixAddresses();
		this.main = document.getElementById("main");
		this.live = document.getElementById("live");
		this.liveText = document.getElementById("live-text");
		this.pauseButton = document.getElementById("pause-updates");
		this.paused = false;
		document.addEventListener("click", (event) => this.clicked(event));
		window.addEventListener("popstate", () => this.open(false));
		document.addEventListener("visibilitychange", () => this.schedule(0));
		document.getElementById("theme").addEventListener("click", () => window.lowkiqTheme.toggle());
		this.pauseButton.addEventListener("click", () => this.pauseUpdates(!this.paused));
	}

	async start() {
		try {
			const session = await loadSession();
			const mode = document.getElementById("mode");
			mode.hidden = session.mayAct;
			setText(mode, "read-only");
		}
		catch (error) {
			toast(error.message, "error");
		}
		this.open(false, true);
	}

	clicked(event) {
		const anchor = event.target.closest?.("a[data-nav]");
		if (!anchor || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
			return;
		}
		event.preventDefault();
		this.go(anchor.href);
	}

	go(href) {
		history.pushState(null, "", href);
		this.open(true);
	}

	page() {
		const base = ROOT.pathname;
		const own = location.pathname;
		const path = own + "/" === base ? "" : own.startsWith(base) ? own.slice(base.length) : null;
		const parts = path === null ? ["?"] : path.split("/").filter((part) => part !== "").map(decodeURIComponent);
		const parameters = new URLSearchParams(location.search);
		if (parts.length === 0) {
			return new Overview();
		}
		if (parts[0] === "queues" && parts.length === 2) {
			return new QueuePage(parts[1], parameters, this);
		}
		if (parts[0] === "queues" && parts[2] === "jobs" && parts.length <= 4) {
			const id = parts[3] ?? parameters.get("id");
			if (id) {
				return new JobPage(parts[1], id, this);
			}
		}
		return new NotFound();
	}

	open(focus, first) {
		this.current?.close();
		const page = this.page();
		this.current = page;
		document.title = `${page.title} · Lowkiq`;
		replace(this.main, page.element);
		this.showCrumbs(page.crumbs());
		if (!first) {
			window.scrollTo(0, 0);
		}
		if (focus) {
			page.element.querySelector("h1")?.focus({ preventScroll: true });
		}
		this.schedule(0);
	}

	showCrumbs(crumbs) {
		const nav = document.getElementById("crumbs");
		nav.hidden = crumbs.length === 0;
		replace(nav, h("ol", {}, h("li", {}, link(ROOT.href, "Overview")), crumbs.map(([text, href]) => h("li", {},
			href ? link(href, foreign(text)) : h("span", { "aria-current": "page" }, foreign(text))))));
	}

	pauseUpdates(paused) {
		this.paused = paused;
		this.pauseButton.setAttribute("aria-pressed", String(paused));
		replace(this.pauseButton, h("span", { "aria-hidden": "true" }, paused ? "▶" : "❚❚"),
			h("span", { class: "hidden" }, "Stop updating"));
		if (paused) {
			this.state("paused", "Paused");
		}
		this.schedule(0);
	}

	state(state, text) {
		this.live.dataset.state = state;
		setText(this.liveText, text);
	}

	schedule(delay) {
		clearTimeout(this.timer);
		if (!document.hidden && (!this.paused || delay === 0 && !this.current?.opened)) {
			this.timer = setTimeout(() => this.refreshNow(), delay);
		}
	}

	async refreshNow() {
		clearTimeout(this.timer);
		const page = this.current;
		page.opened = true;
		try {
			await page.refresh();
			if (page === this.current && !this.paused) {
				this.state("live", "Live");
			}
		}
		catch (error) {
			if (page !== this.current) {
				return;
			}
			if (error.status === undefined) {
				console.error(error);
			}
			this.state("lost", error.status === 0 ? "Server unreachable" : "No data");
			this.problem(page, error);
		}
		if (page === this.current) {
			this.main.dataset.ready = "true";
			this.schedule(INTERVAL);
		}
	}

	problem(page, error) {
		if (error.status === 404 && !page.gone) {
			page.gone = true;
			page.element.append(h("p", { class: "callout danger" }, error.message));
		}
		else if (error.message !== this.lastProblem) {
			toast(error.message, "error");
		}
		this.lastProblem = error.message;
		setTimeout(() => { this.lastProblem = null; }, 30000);
	}
}

new App().start();
