// One queue: its jobs, its shards, and what can be done to it.

import { actionButton } from "./actions.js";
import { get, getLines, jobLink, mayAct, pageLink, queueLink, queuePath } from "./api.js";
import { countColumns, queueBadges, tiles } from "./counts.js";
import { clock, number, plural } from "./format.js";
import { LISTS, Payloads, attemptText, attemptsBlock, errorBlock, firstLine, when } from "./jobs.js";
import { ago, at, badge, empty, foreign, html, link, nothing, repeat, sorted, table, timeRange, timesOf, toast } from "./ui.js";

const PAGE = 50;

// What can be done to selected jobs, or to those that match the filter, by list
const ACTIONS = {
	due: ["hold", "delete"], scheduled: ["perform-now", "hold", "delete"], retries: ["perform-now", "kill", "delete"],
	suspects: ["hold", "perform-now", "kill", "delete"], queued: ["perform-now", "hold", "delete"], held: ["release", "kill", "delete"],
	dead: ["re-enqueue", "delete-dead"], busy: []
};

const LABELS = {
	"hold": "Hold", "delete": "Delete", "perform-now": "Run now", "kill": "Move to Dead", "release": "Release", "re-enqueue": "Retry", "delete-dead": "Delete"
};

// What can be done to all jobs of a list
const ALL = {
	scheduled: [["perform-all-now", "Run all now"]],
	queued: [["perform-all-now", "Run all now"], ["kill-all-failed", "Move all retrying jobs to Dead"], ["delete-all-failed", "Delete all retrying jobs"]],
	retries: [["kill-all-failed", "Move all retrying jobs to Dead"], ["delete-all-failed", "Delete all retrying jobs"]],
	held: [["release-all", "Release all"]],
	dead: [["re-enqueue-all-dead", "Retry all dead"], ["delete-all-dead", "Delete all dead"]]
};

export class QueuePage {
	constructor(app, parameters, queue) {
		Object.assign(this, { app, queue });
		this.title = queue;
		this.crumbs = [[queue, null]];
		this.tab = parameters.get("view");
		this.sort = parameters.get("sort") ?? "shard";
		const state = parameters.get("state");
		if (!this.tab && Object.hasOwn(LISTS, state)) {
			this.jobs = new JobList(this, state, parameters);
		}
		this.parameters = parameters;
	}

	// The list is what people wait for: it does not wait for the counts, if the address names it
	async refresh() {
		const { jobs } = this;
		const listed = jobs?.refresh();
		// It is waited for below
		listed?.catch(() => { /* Reported there */ });
		this.detail = await get(queuePath(this.queue));
		this.crumbs = this.detail.keptFor ? [[this.detail.keptFor, queueLink(this.detail.keptFor)], [this.queue, null]] : this.crumbs;
		this.app.heard(this.detail.now);
		this.chooseList(this.detail.queue.counts);
		this.app.draw();
		await (this.jobs === jobs ? listed : this.jobs.refresh());
		if (this.tab === "history") {
			await this.showChart();
		}
		else if (this.tab === "schedules") {
			await this.showSchedules();
		}
		else if (this.tab === "groups") {
			await this.showGroups();
		}
		this.scheduled ??= (await get("schedules", { queue: this.queue })).schedules.length > 0;
	}

	// Unless the address names one. An empty list is chosen and loaded again, since the counts may be a second old
	chooseList(counts) {
		if (this.tab || this.jobs && !(this.chosen && this.jobs.isEmpty())) {
			return;
		}
		const state = counts.due === 0 && counts.delayed > 0 ? "scheduled" : counts.due === 0 && counts.held > 0 ? "held" : "due";
		if (this.jobs?.state !== state) {
			this.chosen = true;
			this.jobs = new JobList(this, state, this.parameters);
		}
	}

	async showChart() {
		if (!this.chart) {
			const { HistoryChart } = await import("./chart.js");
			this.chart = new HistoryChart(this.queue);
			this.app.draw();
		}
		await this.chart.refresh();
	}

	async showSchedules() {
		if (!this.schedules) {
			const { Schedules } = await import("./schedules.js");
			this.schedules = new Schedules(this.app, this.queue);
		}
		await this.schedules.refresh();
	}

	async showGroups() {
		if (!this.groups) {
			const { Groups } = await import("./groups.js");
			this.groups = new Groups(this.app, this.queue, this.parameters);
		}
		await this.groups.refresh();
	}

	async changed() {
		await this.app.refresh();
		await this.jobs?.load();
	}

	view() {
		const queue = this.detail?.queue;
		return html`<div class="title-row"><h1 tabindex="-1">${foreign(this.queue)}</h1><span class="badges">${queue ? queueBadges(queue) : nothing}</span>
				${queue && mayAct() ? html`<div class="buttons queue-actions">${this.buttons(queue)}</div>` : nothing}</div>
			${tiles(queue?.counts, { running: queueLink(this.queue, { state: "busy" }), to: (state) => queueLink(this.queue, { state }) })}
			<nav class="tabs" aria-label="Jobs of the queue">${queue ? this.tabs(queue) : nothing}</nav>
			${this.content()}`;
	}

	buttons(queue) {
		const after = () => this.changed();
		return html`${queue.paused ? actionButton(this.queue, "resume", "Resume queue", { after, kind: "primary" }) : actionButton(this.queue, "pause", "Pause queue", { after })}`;
	}

	// Apart from what is done every day: it is offered where nobody serves the queue, as while its service is down
	removal(queue) {
		// A queue that is being removed is not asked about: it may be gone by then
		const before = () => this.app.hold();
		const after = (status) => (status && status.state !== "FAILED" ? this.app.go(pageLink("")) : this.changed());
		const { enqueued, busy, dead } = queue.counts;
		const loss = `${plural(enqueued + busy, "waiting or unfinished job")} and ${plural(dead, "dead job")} will be deleted.`;
		return html`<div class="removal"><p class="muted">No running node serves this queue. If it isn't needed any more, it can be removed with all its jobs.</p>
			${actionButton(this.queue, "remove-queue", "Remove queue…", { before, after, confirm: this.queue, loss })}</div>`;
	}

	tabs(queue) {
		const counts = { due: queue.counts.due, scheduled: queue.counts.delayed, queued: queue.counts.enqueued, retries: queue.counts.retries, busy: queue.counts.busy, dead: queue.counts.dead, held: queue.counts.held, suspects: queue.counts.suspects };
		const shown = Object.entries(LISTS).filter(([state]) => this.jobs?.state === state
			|| (state !== "suspects" || queue.counts.suspects > 0) && (state !== "held" || queue.counts.held > 0));
		const anchor = (parameters, current, label, count) => html`<a href=${queueLink(this.queue, parameters)} data-nav
			aria-current=${current ? "page" : nothing}>${label}${count === undefined ? nothing : html` <span class="count">${number(count)}</span>`}</a>`;
		return html`${shown.map(([state, { label }]) => anchor({ state }, this.jobs?.state === state, label, counts[state]))}
			${anchor({ view: "shards" }, this.tab === "shards", "Shards", queue.shards)}
			${anchor({ view: "history" }, this.tab === "history", "History")}
			${this.detail.groups || this.tab === "groups" ? anchor({ view: "groups" }, this.tab === "groups", "Groups") : nothing}
			${this.scheduled || this.tab === "schedules" ? anchor({ view: "schedules" }, this.tab === "schedules", "Schedules") : nothing}
			${this.detail.givenUp?.records > 0 ? html`<a href=${queueLink(this.detail.givenUp.queue, { state: "dead" })} data-nav>Given-up records <span class="count">${number(this.detail.givenUp.records)}</span></a>` : nothing}
			<a href=${pageLink("errors", { queue: this.queue })} data-nav>Errors</a>`;
	}

	content() {
		switch (this.tab) {
			case "shards": return html`<div class="card">${this.detail ? this.shards() : empty("Loading…")}
				${this.detail && mayAct() && this.detail.queue.unowned === this.detail.queue.shards ? this.removal(this.detail.queue) : nothing}</div>`;
			case "history": return this.chart?.element ?? nothing;
			case "groups": return html`<div class="card">${this.groups?.view() ?? empty("Loading…")}</div>`;
			case "schedules": return html`<div class="card">${this.schedules?.view() ?? empty("Loading…")}</div>`;
			default: return this.jobs?.view() ?? nothing;
		}
	}

	shards() {
		const rows = this.detail.shards.map((shard) => ({ ...shard, key: shard.shard, queue: this.queue }));
		const columns = [
			{ key: "shard", label: "Shard", value: (row) => row.shard, cell: (row) => number(row.shard) },
			{
				key: "owner", label: "Owner", value: (row) => row.node ?? "",
				cell: (row) => (row.node ? foreign(row.node) : badge(row.ownerGone ? "owner is gone" : "no owner", "danger"))
			},
			{ key: "since", label: "Since", value: (row) => row.since, cell: (row) => (row.since ? ago(row.since) : "–") },
			...countColumns(["lag", "enqueued", "retries", "busy", "dead", "processed", "failed"], (row) => `shard ${row.shard}`, (row) => ({ shard: row.shard }))
		];
		const onSort = (sort) => {
			this.sort = sort;
			this.app.remember(queueLink(this.queue, { view: "shards", sort }));
			this.app.draw();
		};
		return table({ caption: "Shards", name: "shards", columns, rows: sorted(rows, columns, this.sort), sort: this.sort, onSort });
	}

	close() {
		this.chart?.close();
	}

	clockChanged() {
		this.chart?.redraw();
	}
}

class JobList {
	constructor(page, state, parameters) {
		Object.assign(this, { page, state });
		this.app = page.app;
		this.queue = page.queue;
		this.list = LISTS[state];
		this.filter = { state, prefix: parameters.get("prefix"), shard: parameters.get("shard"), error: parameters.get("error"), ...(this.list.times ? timesOf(parameters) : {}) };
		// The newest dead jobs are looked at first
		this.descending = this.list.directions ? parameters.get("descending") ?? (state === "dead" ? "true" : null) : null;
		this.after = parameters.get("after");
		this.before = Math.max(0, Number.parseInt(parameters.get("before") ?? "0", 10) || 0);
		this.payloads = new Payloads(this.queue, () => this.app.draw());
		this.chosen = new Set();
		this.open = new Set();
	}

	isFiltered() {
		return Boolean(this.filter.prefix || this.filter.shard || this.filter.error || this.filter.from || this.filter.until);
	}

	isEmpty() {
		return this.shown?.jobs.length === 0;
	}

	// Nothing is moved away from under someone's hands
	isHandled() {
		return this.chosen.size > 0 || this.open.size > 0;
	}

	// What needed more than one call is not searched again and again
	isStill() {
		return this.isHandled() || this.calls > 1;
	}

	async refresh() {
		if (!this.shown || !this.isStill()) {
			await this.load();
		}
	}

	href(changes) {
		return queueLink(this.queue, { ...this.filter, descending: this.descending, ...changes });
	}

	async load() {
		const asked = this.asked = (this.asked ?? 0) + 1;
		const jobs = [];
		let after = this.after;
		let page;
		let calls = 0;
		// A page may be short though more follow: the server searches for a limited time
		do {
			page = await get(queuePath(this.queue, "jobs"), { ...this.filter, descending: this.descending, after, limit: PAGE });
			if (asked !== this.asked) {
				return;
			}
			calls++;
			after = page.next;
			jobs.push(...page.jobs);
			this.kind ??= page.kind;
			this.searching = Boolean(after) && jobs.length < PAGE;
			if (this.searching) {
				this.app.heard(page.now);
				// What was found is worth showing where nothing is shown yet
				this.shown = this.shown && !this.partly ? this.shown : { ...page, jobs: [...jobs], next: null };
				this.partly = this.shown.jobs.length === jobs.length;
				this.app.draw();
			}
		} while (this.searching && this.app.current === this.page);
		this.calls = calls;
		this.partly = false;
		page = { ...page, jobs };
		this.shown = page;
		const ids = new Set(page.jobs.map((job) => job.id));
		this.chosen.forEach((id) => ids.has(id) || this.chosen.delete(id));
		this.app.draw();
	}

	view() {
		return html`<section class="card" aria-label=${this.list.label}>
			<div class="filters">${this.finder()}${this.list.directions ? this.order() : nothing}
				${this.list.times ? timeRange(this.state === "dead" ? "Died" : "Due", this.filter, (times) => this.app.go(this.href(times))) : nothing}</div>
			${this.isFiltered() ? this.activeFilters() : nothing}
			<div class="list-head"><span class="muted" aria-live="polite" id="list-note">${this.note()}</span>
				<button type="button" id="export" ?disabled=${this.exporting} @click=${() => this.export()}>${this.exporting ? `Exporting ${number(this.exported)}…` : "Export"}</button>
				<button type="button" @click=${() => this.load().catch((error) => toast(error.message, "error"))}>Refresh</button>
				<div class="buttons bulk">${mayAct() && this.shown && this.page.detail ? this.bulk() : nothing}</div></div>
			<div id="jobs">${this.shown && !(this.partly && this.isEmpty()) ? this.table() : empty(this.searching ? "Searching…" : "Loading…")}</div>
			<nav class="pager" aria-label="Pages">${this.after ? link(this.href(), "« First page") : nothing}
				${this.shown?.next ? link(this.href({ after: this.shown.next, before: this.before + this.shown.jobs.length }), "Next page ›") : nothing}</nav></section>`;
	}

	note() {
		if (this.searching) {
			return this.partly && this.shown.jobs.length > 0 ? `${number(this.shown.jobs.length)} shown, more to come` : "Searching…";
		}
		const { jobs, now } = this.shown ?? { jobs: [] };
		return jobs.length === 0 ? "" : `Jobs ${number(this.before + 1)} to ${number(this.before + jobs.length)}${this.shown.next ? ", more to come" : ""}, as of ${clock(now)}${this.isHandled() ? ", not updated while you work on them"
			: this.calls > 1 ? ", not updated by itself" : ""}`;
	}

	finder() {
		const submit = (event) => {
			event.preventDefault();
			const { mode, text } = Object.fromEntries(new FormData(event.target));
			this.app.go(text === "" ? this.href({ prefix: null }) : mode === "exact" ? jobLink(this.queue, text) : this.href({ prefix: text }));
		};
		return html`<form class="filter-form" role="search" aria-label="Find by id" @submit=${submit}>
			<label for="id-mode">Id</label>
			<select id="id-mode" name="mode" @change=${(event) => (event.target.form.text.value === "" ? null : event.target.form.requestSubmit())}><option value="exact" ?selected=${!this.filter.prefix}>is exactly</option>
				<option value="prefix" ?selected=${Boolean(this.filter.prefix)}>begins with</option></select>
			<label class="hidden" for="id-filter">The id, or its beginning</label>
			<input type="search" id="id-filter" name="text" autocomplete="off" spellcheck="false" value=${this.filter.prefix ?? ""}>
			<button type="submit">Find</button></form>`;
	}

	order() {
		const [upwards, downwards] = this.list.directions;
		const change = (event) => this.app.go(this.href({ descending: event.target.value }));
		return html`<form class="filter-form" aria-label="Order"><label for="direction">Order</label>
			<select id="direction" name="descending" @change=${change}><option value="false" ?selected=${this.descending !== "true"}>${upwards}</option>
				<option value="true" ?selected=${this.descending === "true"}>${downwards}</option></select></form>`;
	}

	activeFilters() {
		const { prefix, shard, error, from, until } = this.filter;
		const filter = (name, text) => html`<li>${text} ${link(this.href({ [name]: null }), "×", `Remove this filter: ${name}`)}</li>`;
		return html`<ul class="active-filters" aria-label="Active filters"><li class="muted">Only jobs</li>
			${prefix ? filter("prefix", html`whose id begins with ${foreign(prefix)}`) : nothing}
			${shard ? filter("shard", `of shard ${shard}`) : nothing}
			${error ? filter("error", html`with one error: ${foreign(this.kind ?? this.filter.error)}`) : nothing}
			${from ? filter("from", html`that ${this.list.times} from ${at(from)} on`) : nothing}
			${until ? filter("until", html`that ${this.list.times} before ${at(until)}`) : nothing}</ul>`;
	}

	// What the buttons do is what is seen: with a filter, they concern the jobs that match it
	bulk() {
		const after = () => this.page.changed();
		if (!this.isFiltered()) {
			const { counts } = this.page.detail.queue;
			const any = { scheduled: counts.delayed, queued: counts.enqueued, retries: counts.retries, held: counts.held, dead: counts.dead };
			return any[this.state] ? ALL[this.state]?.map(([action, label]) => (this.state === "queued" && action.endsWith("failed") && !counts.retries ? nothing
				: actionButton(this.queue, action, label, { after }))) : nothing;
		}
		return this.isEmpty() ? nothing : ACTIONS[this.state].map((action) => actionButton(this.queue, action, `${LABELS[action]} matching`, { selection: this.selection(), after }));
	}

	selection() {
		const { state, prefix, shard, error, from, until } = this.filter;
		return { state, prefix, shard: shard === null ? null : Number(shard), error, from, until };
	}

	table() {
		const { jobs } = this.shown;
		if (jobs.length === 0) {
			return empty(this.isFiltered() ? "No matching jobs." : this.after ? "No more jobs." : this.list.none);
		}
		const dead = this.state === "dead";
		const selectable = mayAct() && this.state !== "busy";
		const columns = 6 + (selectable ? 1 : 0) + (dead ? 0 : 1);
		const all = jobs.every((job) => this.chosen.has(job.id));
		const chooseAll = (event) => {
			this.chosen = new Set(event.target.checked ? jobs.map((job) => job.id) : []);
			this.app.draw();
		};
		return html`${this.chosen.size > 0 ? this.selected() : nothing}
			<div class="table-wrap" tabindex="0" role="region" aria-label="Jobs"><table class="jobs">
				<caption class="hidden">Jobs: ${this.list.label}</caption>
				<thead><tr>${selectable ? html`<th scope="col" class="check"><input type="checkbox" aria-label="Select all jobs of this page"
						.checked=${all} .indeterminate=${!all && this.chosen.size > 0} @change=${chooseAll}></th>` : nothing}
					${["Id", "Shard", dead ? "Died" : "Due", dead ? null : "Attempt", "Payloads", "Error"].filter(Boolean).map((label) => html`<th scope="col">${label}</th>`)}
					<th scope="col"><span class="hidden">Details</span></th></tr></thead>
				<tbody>${repeat(jobs, (job) => `${job.shard} ${job.id}`, (job) => this.row(job, selectable, columns))}</tbody></table></div>`;
	}

	toggle(set, id) {
		if (!set.delete(id)) {
			set.add(id);
		}
		this.app.draw();
	}

	row(job, selectable, columns) {
		const dead = job.state === "dead";
		const open = this.open.has(job.id);
		return html`<tr class="job" data-id=${job.id}>
				${selectable ? html`<td class="check"><input type="checkbox" aria-label="Select job ${job.id}" .checked=${this.chosen.has(job.id)}
					@change=${() => this.toggle(this.chosen, job.id)}></td>` : nothing}
				<th scope="row" class="id" data-label="Id">${link(jobLink(this.queue, job.id), foreign(job.id))}</th>
				<td data-label="Shard" class="shard">${number(job.shard)}</td>
				<td data-label=${dead ? "Died" : "Due"} class="when">${when(job)}</td>
				${dead ? nothing : html`<td data-label="Attempt"><span class=${job.retryCount >= 0 ? "badge warn" : "muted"}>${attemptText(job)}</span>
					${job.crashes > 0 ? badge(`${job.crashes}× crashed`, "danger", "Crashes while it was running") : nothing}</td>`}
				<td data-label="Payloads">${number(job.payloadCount)}</td>
				<td data-label="Error" class=${job.error ? "error" : "error none"}>${job.error ? foreign(firstLine(job.error)) : html`<span class="muted">–</span>`}</td>
				<td class="toggle"><button type="button" class="small quiet" aria-expanded=${String(open)} aria-label="Details of job ${job.id}"
					@click=${() => this.toggle(this.open, job.id)}>Details</button></td></tr>
			${open ? html`<tr class="detail"><td colspan=${columns}>${job.enqueuedAt ? html`<p class="muted">Enqueued ${at(job.enqueuedAt)}</p>` : nothing}
				${job.error ? errorBlock(job.error) : nothing}${attemptsBlock(job)}${this.payloads.view(job)}</td></tr>` : nothing}`;
	}

	selected() {
		const options = { ids: () => [...this.chosen], after: () => { this.chosen.clear(); return this.page.changed(); } };
		return html`<div class="selection"><span aria-live="polite">${number(this.chosen.size)} selected</span>
			<span class="buttons">${ACTIONS[this.state].map((action) => actionButton(this.queue, action, LABELS[action], options))}</span></div>`;
	}

	// Page by page, so that the server never holds all of it
	async export() {
		const parts = [];
		this.exporting = true;
		this.exported = 0;
		let after = null;
		try {
			do {
				this.app.draw();
				const page = await getLines(queuePath(this.queue, "export"), { ...this.filter, descending: this.descending, after, limit: 1000 });
				parts.push(page.text);
				this.exported += page.text.split("\n").length - 1;
				after = page.next;
			} while (after && this.app.current === this.page);
			if (!after) {
				save(new Blob(parts, { type: "application/x-ndjson" }), `${this.queue}-${this.state}.ndjson`);
				toast(`Exported ${plural(this.exported, "job")}.`);
			}
		}
		catch (error) {
			toast(error.message, "error");
		}
		finally {
			this.exporting = false;
			this.app.draw();
		}
	}
}

function save(blob, name) {
	const anchor = document.createElement("a");
	anchor.href = URL.createObjectURL(blob);
	anchor.download = name.replace(/[^\w.-]+/g, "_");
	anchor.click();
	setTimeout(() => URL.revokeObjectURL(anchor.href), 60000);
}
