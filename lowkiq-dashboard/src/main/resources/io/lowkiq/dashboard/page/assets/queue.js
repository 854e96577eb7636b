// One queue: its jobs, its shards, and what can be done to it.

import { actionButton } from "./actions.js";
import { get, mayAct, queuePath } from "./api.js";
import { HistoryChart } from "./chart.js";
import { LiveTable, foreign, h, replace, setText } from "./dom.js";
import { duration, number, relative, time } from "./format.js";
import { LISTS, errorBlock, firstLine, payloadBlocks, retryText, when } from "./jobs.js";
import { jobLink, link, queueLink } from "./links.js";
import { QUERIES, TotalsStrip, countColumn } from "./overview.js";

const PAGE = 50;

export class QueuePage {
	constructor(queue, parameters, app) {
		this.queue = queue;
		this.app = app;
		this.title = queue;
		this.view = parameters.get("view");
		this.given = parameters;
		this.after = parameters.get("after");
		this.before = Math.max(0, Number.parseInt(parameters.get("before") ?? "0", 10) || 0);
		this.build();
	}

	crumbs() {
		return [[this.queue, null]];
	}

	build() {
		this.totals = new TotalsStrip();
		this.badges = h("span", { class: "badges" });
		this.queueActions = h("div", { class: "buttons queue-actions" });
		this.tabs = h("nav", { class: "tabs", "aria-label": "Jobs of the queue" });
		this.content = h("div", {});
		this.element = h("div", {},
			h("div", { class: "title-row" }, h("h1", { tabindex: "-1" }, foreign(this.queue)), this.badges, this.queueActions),
			this.totals.element, this.tabs, this.content);
		if (this.view === "shards") {
			this.shards = shardTable(this.queue);
			this.content.append(h("section", { class: "card", "aria-label": "Shards" }, this.shards.element));
		}
		else if (this.view === "history") {
			this.chart = new HistoryChart(this.queue);
			this.content.append(this.chart.element);
		}
		else if (Object.hasOwn(LISTS, this.given.get("state"))) {
			this.buildJobs(this.given.get("state"));
		}
	}

	// Unless the address names one. An empty list is chosen and loaded again, since the counts may be a second old
	chooseList(counts) {
		if (this.view || this.jobs && !(this.chosen && this.listed === 0)) {
			return;
		}
		this.chosen = true;
		this.loaded = false;
		const state = counts.delayed > 0 && counts.delayed >= counts.enqueued ? "delayed" : "ready";
		if (state !== this.state) {
			this.headShown = null;
			replace(this.content);
			this.buildJobs(state);
		}
	}

	buildJobs(state) {
		this.state = state;
		this.list = LISTS[state];
		this.query = {
			state, descending: this.list.directions ? this.given.get("descending") : null,
			prefix: this.given.get("prefix"), shard: this.given.get("shard")
		};
		this.jobs = h("div", { id: "jobs" }, h("p", { class: "empty" }, "Loading…"));
		this.pager = h("nav", { class: "pager", "aria-label": "Pages" });
		this.bulk = h("div", { class: "buttons bulk" });
		this.refreshButton = h("button", { type: "button", onclick: () => this.loadJobs() }, "Refresh");
		this.listNote = h("span", { class: "muted", "aria-live": "polite", id: "list-note" });
		this.content.append(h("section", { class: "card", "aria-label": `Jobs: ${this.list.label}` },
			filters(this), h("div", { class: "list-head" }, this.listNote, this.bulk, this.refreshButton), this.jobs, this.pager));
	}

	parameters(changes) {
		return { ...this.query, ...changes };
	}

	async refresh() {
		const detail = await get(queuePath(this.queue));
		this.hasHeld ??= (await get(queuePath(this.queue, "jobs"), { state: "held", limit: 1 })).jobs.length > 0;
		this.hasSuspects ??= (await get(queuePath(this.queue, "jobs"), { state: "suspects", limit: 1 })).jobs.length > 0;
		this.detail = detail;
		this.chooseList(detail.queue.counts);
		this.totals.update(detail.queue.counts);
		this.showHead(detail.queue);
		this.shards?.update(detail.shards.map((shard) => ({ ...shard, key: shard.shard, now: detail.now })));
		await this.chart?.refresh();
		if (this.jobs && (!this.loaded || (this.state === "busy" && !this.expanded()))) {
			this.loaded = true;
			await this.loadJobs();
		}
	}

	expanded() {
		return this.jobs.contains(document.activeElement) || this.jobs.querySelector("[aria-expanded=true], input:checked");
	}

	showHead(queue) {
		const signature = JSON.stringify([queue.paused, queue.unowned, queue.counts.enqueued, queue.counts.busy, queue.counts.dead,
			queue.counts.retries, mayAct()]);
		if (signature === this.headShown) {
			return;
		}
		this.headShown = signature;
		replace(this.badges, queue.paused ? h("span", { class: "badge warn" }, "paused") : null,
			queue.unowned > 0 ? h("span", { class: "badge danger" }, `${queue.unowned} of ${queue.shards} shards without an owner`) : null);
		const counts = {
			queued: queue.counts.enqueued, retries: queue.counts.retries, busy: queue.counts.busy, dead: queue.counts.dead
		};
		const shown = Object.entries(LISTS).filter(([state]) => this.state === state
			|| (state !== "suspects" || this.hasSuspects) && (state !== "held" || this.hasHeld));
		const focused = this.tabs.contains(document.activeElement);
		if (!focused) {
			const current = (state) => (!this.view && state === this.state ? "page" : null);
			replace(this.tabs,
				shown.map(([state, { label }]) => h("a", {
					href: queueLink(this.queue, { state }), "data-nav": true, "aria-current": current(state)
				}, label, state in counts ? [" ", h("span", { class: "count" }, number(counts[state]))] : null)),
				h("a", { href: queueLink(this.queue, { view: "shards" }), "data-nav": true, "aria-current": this.view === "shards" ? "page" : null },
					"Shards ", h("span", { class: "count" }, number(queue.shards))),
				h("a", { href: queueLink(this.queue, { view: "history" }), "data-nav": true, "aria-current": this.view === "history" ? "page" : null }, "History"));
			this.showCurrentTab();
		}
		if (mayAct()) {
			this.showActions(queue);
		}
	}

	// Where the tabs are wider than the page; once, so that nobody's scrolling is undone
	showCurrentTab() {
		const current = this.tabs.querySelector("[aria-current]");
		if (current && !this.tabsShown) {
			this.tabsShown = true;
			this.tabs.scrollLeft = current.offsetLeft + (current.offsetWidth - this.tabs.clientWidth) / 2;
		}
	}

	showActions(queue) {
		const after = () => this.changed();
		if (!this.queueActions.contains(document.activeElement) || this.pausedShown !== queue.paused) {
			const had = this.queueActions.contains(document.activeElement);
			this.pausedShown = queue.paused;
			replace(this.queueActions, queue.paused ? actionButton(this.queue, "resume", "Resume queue", { after, kind: "primary" })
				: actionButton(this.queue, "pause", "Pause queue", { after }));
			if (had) {
				this.queueActions.querySelector("button").focus();
			}
		}
		if (!this.bulk || this.bulk.contains(document.activeElement)) {
			return;
		}
		const all = this.state === "queued";
		if (all || this.state === "delayed" || this.state === "retries") {
			replace(this.bulk, queue.counts.enqueued && this.state !== "retries"
				? actionButton(this.queue, "perform-all-now", "Perform all now", { after }) : null,
				queue.counts.retries && this.state !== "delayed" ? [actionButton(this.queue, "kill-all-failed", "Kill all failed", { after, kind: "danger-quiet" }),
					actionButton(this.queue, "delete-all-failed", "Delete all failed", { after, kind: "danger-quiet" })] : null);
		}
		else if (this.state === "held") {
			replace(this.bulk, actionButton(this.queue, "release-all", "Release all", { after }));
		}
		else if (this.state === "dead") {
			replace(this.bulk, queue.counts.dead ? [actionButton(this.queue, "re-enqueue-all-dead", "Enqueue all again", { after }),
				actionButton(this.queue, "delete-all-dead", "Delete all dead", { after, kind: "danger-quiet" })] : null);
		}
	}

	async changed() {
		this.headShown = null;
		await this.app.refreshNow();
		if (this.jobs) {
			await this.loadJobs();
		}
	}

	async loadJobs() {
		const asked = (this.asked ?? 0) + 1;
		this.asked = asked;
		let after = this.after;
		let page = null;
		// A page may be empty though more follow: the server searches for a limited time
		do {
			page = await get(queuePath(this.queue, "jobs"), { ...this.query, after, limit: PAGE }).catch((error) => {
				replace(this.jobs, h("p", { class: "callout danger" }, error.message));
				return null;
			});
			if (page === null || asked !== this.asked) {
				return;
			}
			after = page.next;
			if (after && page.jobs.length === 0) {
				setText(this.listNote, "Searching…");
			}
		} while (after && page.jobs.length === 0);
		this.showJobs(page);
	}

	showJobs(page) {
		this.listed = page.jobs.length;
		const end = this.before + page.jobs.length;
		setText(this.listNote, page.jobs.length ? `Jobs ${number(this.before + 1)} to ${number(end)}, as of ${time(page.now).slice(11)}` : "");
		if (page.jobs.length === 0) {
			replace(this.jobs, h("p", { class: "empty" }, this.query.prefix || this.query.shard ? "No matching jobs."
				: this.after ? "No more jobs." : this.list.none));
		}
		else {
			replace(this.jobs, new JobList(this, page).element);
		}
		replace(this.pager,
			this.after ? link(queueLink(this.queue, this.parameters()), "« First page") : null,
			page.next ? link(queueLink(this.queue, this.parameters({ after: page.next, before: end })), "Next page ›") : null);
	}

	close() {
		this.asked = null;
		this.chart?.close();
	}
}

class JobList {
	constructor(page, { jobs, now }) {
		this.owner = page;
		this.jobs = jobs;
		this.selectable = mayAct() && page.state !== "busy";
		this.boxes = [];
		const columns = ["Id", "Shard", page.state === "dead" ? "Died" : "Perform at", page.state === "dead" ? null : "Retry", "Payloads", "Error"];
		const head = h("tr", {},
			this.selectable ? h("th", { scope: "col", class: "check" }, this.allBox()) : null,
			columns.filter(Boolean).map((label) => h("th", { scope: "col" }, label)),
			h("th", { scope: "col" }, h("span", { class: "hidden" }, "Details")));
		const body = h("tbody", {}, jobs.map((job) => this.rows(job, now)));
		this.selection = h("div", { class: "selection", hidden: true });
		this.element = h("div", {}, this.selection, h("div", { class: "table-wrap", tabindex: "0", role: "region", "aria-label": "Jobs" },
			h("table", { class: "jobs" }, h("caption", { class: "hidden" }, `Jobs: ${page.list.label}`), h("thead", {}, head), body)));
		this.buildSelection();
	}

	allBox() {
		this.all = h("input", { type: "checkbox", "aria-label": "Select all jobs of this page" });
		this.all.addEventListener("change", () => {
			this.boxes.forEach((box) => { box.checked = this.all.checked; });
			this.selected();
		});
		return this.all;
	}

	rows(job, now) {
		const columns = 5 + (this.selectable ? 1 : 0) + (job.state === "dead" ? 0 : 1) + 1;
		const detail = h("tr", { class: "detail", hidden: true }, h("td", { colspan: columns }));
		const toggle = h("button", { type: "button", class: "small quiet", "aria-expanded": "false" }, "Details");
		toggle.setAttribute("aria-label", `Details of job ${job.id}`);
		toggle.addEventListener("click", () => {
			const open = detail.hidden;
			detail.hidden = !open;
			toggle.setAttribute("aria-expanded", String(open));
			if (open && !detail.firstChild.firstChild) {
				replace(detail.firstChild, job.error ? errorBlock(job.error) : null, payloadBlocks(this.owner.queue, job));
			}
		});
		const box = this.selectable ? h("input", { type: "checkbox", "aria-label": `Select job ${job.id}` }) : null;
		box?.addEventListener("change", () => this.selected());
		if (box) {
			this.boxes.push(box);
		}
		return [h("tr", { class: "job", "data-id": job.id },
			box ? h("td", { class: "check" }, box) : null,
			h("th", { scope: "row", class: "id", "data-label": "Id" }, link(jobLink(this.owner.queue, job.id), foreign(job.id))),
			h("td", { "data-label": "Shard", class: "shard" }, number(job.shard)),
			h("td", { "data-label": job.state === "dead" ? "Died" : "Perform at", class: "when" }, when(job, now)),
			job.state === "dead" ? null : h("td", { "data-label": "Retry" },
				h("span", { class: job.retryCount >= 0 ? "badge warn" : "muted" }, retryText(job)),
				job.crashes > 0 ? h("span", { class: "badge danger", title: "Crashes while it was being performed" }, `${job.crashes}× crashed`) : null),
			h("td", { "data-label": "Payloads" }, number(job.payloadCount)),
			h("td", { "data-label": "Error", class: job.error ? "error" : "error none" }, job.error ? foreign(firstLine(job.error)) : h("span", { class: "muted" }, "–")),
			h("td", { class: "toggle" }, toggle)), detail];
	}

	chosen() {
		return this.jobs.filter((job, i) => this.boxes[i]?.checked).map((job) => job.id);
	}

	buildSelection() {
		if (!this.selectable) {
			return;
		}
		const options = { ids: () => this.chosen(), after: () => this.owner.changed() };
		const queue = this.owner.queue;
		this.selectedText = h("span", { "aria-live": "polite" });
		const buttons = this.owner.state === "dead"
			? [actionButton(queue, "re-enqueue", "Enqueue again", options), actionButton(queue, "delete-dead", "Delete", { ...options, kind: "danger-quiet" })]
			: this.owner.state === "held"
				? [actionButton(queue, "release", "Release", options), actionButton(queue, "kill", "Bury", options)]
				: [actionButton(queue, "perform-now", "Perform now", options), actionButton(queue, "delete", "Delete", { ...options, kind: "danger-quiet" })];
		replace(this.selection, this.selectedText, h("span", { class: "buttons" }, buttons));
	}

	selected() {
		const count = this.chosen().length;
		this.selection.hidden = count === 0;
		setText(this.selectedText, `${number(count)} selected`);
		this.all.checked = count === this.boxes.length;
		this.all.indeterminate = count > 0 && count < this.boxes.length;
	}
}

function filters(page) {
	const idField = h("input", { type: "search", id: "id-filter", autocomplete: "off", spellcheck: "false" });
	idField.value = page.query.prefix ?? "";
	const mode = h("select", { id: "id-mode" }, h("option", { value: "exact" }, "is exactly"), h("option", { value: "prefix" }, "begins with"));
	mode.value = page.query.prefix ? "prefix" : "exact";
	const idForm = h("form", { class: "filter-form", role: "search", "aria-label": "Find by id" },
		h("label", { for: "id-mode" }, "Id"), mode, h("label", { class: "hidden", for: "id-filter" }, "The id, or its beginning"), idField,
		h("button", { type: "submit" }, "Find"));
	idForm.addEventListener("submit", (event) => {
		event.preventDefault();
		if (idField.value === "") {
			page.app.go(queueLink(page.queue, { state: page.state, shard: page.query.shard }));
		}
		else if (mode.value === "exact") {
			page.app.go(jobLink(page.queue, idField.value));
		}
		else {
			page.app.go(queueLink(page.queue, page.parameters({ prefix: idField.value })));
		}
	});
	return h("div", { class: "filters" }, idForm, page.list.directions ? orderForm(page) : null);
}

function orderForm(page) {
	const [upwards, downwards] = page.list.directions;
	const direction = h("select", { id: "direction" }, h("option", { value: "" }, upwards), h("option", { value: "true" }, downwards));
	direction.value = page.query.descending === "true" ? "true" : "";
	const form = h("form", { class: "filter-form", "aria-label": "Order" }, h("label", { for: "direction" }, "Order"), direction,
		h("button", { type: "submit" }, "Apply"));
	form.addEventListener("submit", (event) => {
		event.preventDefault();
		page.app.go(queueLink(page.queue, page.parameters({ descending: direction.value })));
	});
	return form;
}

function shardTable(queue) {
	const count = (key, label) => countColumn(key, label, (shard) => `shard ${shard.shard}`,
		QUERIES[key] && ((shard) => queueLink(queue, { ...QUERIES[key], shard: shard.shard })));
	return new LiveTable({
		caption: "Shards", class: "shards", sort: { key: "shard", descending: false },
		columns: [
			{ key: "shard", label: "Shard", value: (shard) => shard.shard, text: (shard) => number(shard.shard) },
			{
				key: "owner", label: "Owner", value: (shard) => shard.node ?? "",
				text: (shard) => shard.node ?? "none",
				signature: (shard) => JSON.stringify([shard.node, shard.ownerGone]),
				render: (shard) => (shard.node ? foreign(shard.node)
					: h("span", { class: "badge danger" }, shard.ownerGone ? "owner is gone" : "no owner"))
			},
			{ key: "since", label: "Since", value: (shard) => shard.since, text: (shard) => (shard.since ? relative(shard.since, shard.now) : "–") },
			{ key: "lag", label: "Lag", number: true, value: (shard) => shard.counts.lag, text: (shard) => (shard.counts.lag ? duration(shard.counts.lag) : "0") },
			count("enqueued", "Enqueued"), count("retries", "Retries"), count("busy", "Busy"), count("dead", "Dead"),
			count("processed", "Processed"), count("failed", "Failed")
		]
	});
}
