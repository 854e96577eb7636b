// The groups of a queue: what waits and runs, and what operators have set for them.

import { pauseButton } from "./actions.js";
import { change, curl, get, mayAct, pageLink, queueLink, queuePath } from "./api.js";
import { duration, number, plural } from "./format.js";
import { ask, at, attempt, badge, empty, foreign, html, link, nothing, openDialog, table } from "./ui.js";

const limitsText = ({ concurrency, rate, maxShare }) => [
	[concurrency ? `${number(concurrency)} at a time` : "", rate].filter(Boolean).join(", "),
	maxShare ? `at most ${number(maxShare)} % of a node's threads` : ""
].filter(Boolean).join("; ");

const SHOWN = { waiting: "Most waiting", running: "Most running", set: "With settings" };

export class Groups {
	constructor(app, queue, parameters) {
		Object.assign(this, { app, queue });
		this.wanted = { show: parameters.get("show"), find: parameters.get("find"), after: parameters.get("after") };
		this.path = queuePath(queue, "groups");
		this.columns = [
			{ key: "group", label: "Group", name: "id", cell: (row) => this.name(row) },
			{ key: "waiting", label: "Waiting", number: true, cell: (row) => `${this.shown.undivided > 0 ? "≥ " : ""}${number(row.waiting)}` },
			{ key: "running", label: "Running", number: true, cell: (row) => number(row.running) },
			{ key: "state", label: "State and limits", name: "state", cell: (row) => this.state(row) },
			{ key: "actions", label: "Actions", name: "act", cell: (row) => this.buttons(row) }
		];
	}

	async refresh() {
		this.shown = await get(this.path, this.wanted);
		this.app.heard(this.shown.now);
		this.rows = this.shown.groups.map((group) => ({ ...group, key: group.name }));
	}

	name(row) {
		return row.name === "" ? html`<span class="muted">ids without a group</span>`
			: this.shown.separator ? link(queueLink(this.queue, { state: "queued", prefix: row.name + this.shown.separator }), foreign(row.name)) : foreign(row.name);
	}

	state(row) {
		const set = (change, text) => (change ? html`<li>${text(change.value)} ${change.at ? html`<span class="muted small-text">by ${foreign(change.by)}, ${at(change.at)}</span>` : nothing}</li>` : nothing);
		return html`<ul class="set">
			${set(row.pause, () => badge("paused", "warn"))}
			${row.waitsUntil ? html`<li>${badge("waits", "warn")} until ${at(row.waitsUntil)}, because one of its jobs has asked for it</li>` : nothing}
			${row.parked && !row.pause && !row.waitsUntil ? html`<li>${badge("full", "", "None of its jobs may begin now")}</li>` : nothing}
			${set(row.concurrency, (jobs) => `at most ${number(jobs)} running`)}
			${set(row.rate, ({ starts, period }) => `at most ${plural(starts, "start")} in ${duration(period)}`)}
			${set(row.weight, (weight) => `weight ${number(weight)}`)}</ul>`;
	}

	// An id without a group belongs to none that can be changed
	buttons(row) {
		if (row.name === "") {
			return nothing;
		}
		const send = (order) => change("POST", this.path, { ...order, group: row.name });
		const asCurl = (...orders) => () => orders.map((order) => curl("POST", this.path, { ...order, group: row.name })).join("\n");
		const reset = async () => {
			if (await ask("Reset this group?", html`All that was set for group ${foreign(row.name)} is removed, a pause too. The settings of the application apply again.`, "Reset")) {
				await attempt(this.app, () => send({ action: "reset" }), "The group was reset.");
			}
		};
		const edit = async () => {
			const orders = await this.orders(row);
			if (orders.length > 0) {
				await attempt(this.app, async () => {
					for (const order of orders) {
						await send(order);
					}
				}, "The group was changed.");
			}
		};
		const limits = this.shown.oneShardPerGroup ? [{ action: "concurrency", value: row.concurrency?.value ?? 1 },
			{ action: "rate", value: row.rate?.value.starts ?? 1, period: row.rate?.value.period ?? 1000 }] : [];
		const isSet = row.pause || row.concurrency || row.rate || row.weight;
		return html`<div class="buttons">
			${pauseButton(this.app, this.queue, row.name, Boolean(row.pause))}
			<button type="button" data-action="change-group" .lowkiqCurl=${asCurl(...limits, { action: "weight", value: row.weight?.value ?? 1 })} aria-label="Change: ${row.name}" @click=${edit}>Change…</button>
			${isSet ? html`<button type="button" data-action="reset-group" .lowkiqCurl=${asCurl({ action: "reset" })} aria-label="Reset: ${row.name}" @click=${reset}>Reset</button>` : nothing}</div>`;
	}

	// What is to be sent. A field that is empty, or as before, changes nothing
	async orders(row) {
		const rate = row.rate?.value;
		let orders = [];
		await openDialog((close) => {
			const submit = (event) => {
				event.preventDefault();
				const { concurrency, starts, seconds, weight } = Object.fromEntries([...new FormData(event.target)].map(([name, text]) => [name, Number(text)]));
				const period = Math.round(seconds * 1000);
				orders = [
					concurrency && concurrency !== row.concurrency?.value ? { action: "concurrency", value: concurrency } : null,
					starts && (starts !== rate?.starts || period !== rate?.period) ? { action: "rate", value: starts, period } : null,
					weight && weight !== row.weight?.value ? { action: "weight", value: weight } : null
				].filter(Boolean);
				close("go");
			};
			const field = (name, label, value, most) => html`<label class="confirm" for="group-${name}">${label}</label>
				<input type="number" id="group-${name}" name=${name} min="1" max=${most} value=${value ?? ""}>`;
			return html`<form @submit=${submit}><h2 id="dialog-title">Change group ${foreign(row.name)}</h2>
				<p class="muted">Empty fields change nothing. Reset removes what was set.</p>
				${this.shown.oneShardPerGroup ? html`${field("concurrency", "Jobs that run at a time", row.concurrency?.value, 1000000)}
					${field("starts", "Starts in a period", rate?.starts, 1000000)}
					<label class="confirm" for="group-seconds">Seconds of the period</label>
					<input type="number" id="group-seconds" name="seconds" min="0.001" max="86400" step="0.001" required value=${(rate?.period ?? 1000) / 1000}>`
				: html`<p>Running jobs and starts can't be limited: the ids of a group are spread over all shards.</p>`}
				${field("weight", "Weight", row.weight?.value, 1000)}
				<div class="dialog-buttons"><button type="button" data-dialog="cancel" @click=${() => close("")}>Cancel</button>
					<button type="submit" class="primary" data-dialog="go">Save</button></div></form>`;
		});
		return orders;
	}

	// The limits of the application. Its nodes may differ, and none may be there
	limits() {
		const texts = this.shown.limits.map(limitsText);
		return texts.length === 0 ? nothing : html`<p class="muted group-limits">${texts.length > 1 ? `The nodes differ, as in a deploy. Each group: ${texts.map((each) => each || "no limits").join(", or: ")}`
			: texts[0] ? `Each group: ${texts[0]}` : "No limits of the application"}</p>`;
	}

	href(changes) {
		return queueLink(this.queue, { view: "groups", ...changes });
	}

	finder() {
		const submit = (event) => {
			event.preventDefault();
			this.app.go(this.href({ find: new FormData(event.target).get("find").trim() }));
		};
		const show = this.wanted.show ?? "waiting";
		return html`<div class="filters"><form class="filter-form" role="search" aria-label="Find a group" @submit=${submit}>
				<label for="find-group">Group</label>
				<input type="search" id="find-group" name="find" autocomplete="off" spellcheck="false" value=${this.wanted.find ?? ""}>
				<button type="submit">Find</button></form>
			<nav class="tabs" aria-label="Groups">${Object.entries(SHOWN).map(([key, label]) => html`<a href=${this.href({ show: key })} data-nav
				aria-current=${!this.wanted.find && show === key ? "page" : nothing}>${label}${key === "set" && this.shown ? html` <span class="count">${number(this.shown.set)}</span>` : nothing}</a>`)}</nav></div>`;
	}

	// A customer may have ids in other queues, too
	everywhere() {
		const { separator } = this.shown;
		return this.wanted.find && separator ? html`<p>${link(pageLink("search", { text: this.rows[0].name + separator }), html`Find or erase ${foreign(this.rows[0].name + separator)} in all queues`)}</p>` : nothing;
	}

	// What this node had read and Redis has forgotten. Nobody sets it again by himself
	forgotten() {
		const restore = () => attempt(this.app, () => change("POST", this.path, { action: "restore" }), "It was set again.");
		return this.shown?.forgotten > 0 ? html`<p class="callout danger" id="forgotten-groups">Redis has forgotten what was set for ${plural(this.shown.forgotten, "group")}. The log names them.
			${mayAct() ? html`<button type="button" data-action="restore-groups" .lowkiqCurl=${() => curl("POST", this.path, { action: "restore" })} @click=${restore}>Set again</button>` : nothing}</p>` : nothing;
	}

	view() {
		const columns = this.columns.filter((column) => column.key !== "actions" || mayAct());
		return html`${this.forgotten()}${this.rows ? this.limits() : nothing}${this.finder()}
			${this.shown?.undivided > 0 ? html`<p class="muted" id="undivided">${plural(this.shown.undivided, "due job")} not yet divided among the groups.</p>` : nothing}
			${this.rows ? html`${this.shown.complete || this.shown.next ? nothing : html`<p class="muted">There are more groups. Find one by its name.</p>`}
			${table({ caption: "Groups", name: "groups-of-queue", columns, rows: this.rows, none: this.wanted.show ? "No groups." : "No group has waiting or running jobs, and nothing is set." })}
			${this.everywhere()}
			<nav class="pager" aria-label="Pages">${this.wanted.after ? link(this.href({ show: this.wanted.show }), "« First page") : nothing}
				${this.shown.next ? link(this.href({ show: this.wanted.show, after: this.shown.next }), "Next page ›") : nothing}</nav>` : empty("Loading…")}`;
	}
}
