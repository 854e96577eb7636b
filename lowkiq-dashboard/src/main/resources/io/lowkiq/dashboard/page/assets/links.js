// Addresses of the pages, relative to the base path.

import { ROOT } from "./api.js";
import { h } from "./dom.js";

const PLAIN = /^[A-Za-z0-9_~-][A-Za-z0-9_.~-]*$/;

export function pageLink(path, parameters) {
	const url = new URL(path, ROOT);
	for (const [name, value] of Object.entries(parameters ?? {})) {
		if (value !== undefined && value !== null && value !== "") {
			url.searchParams.set(name, value);
		}
	}
	return url.href;
}

export const queueLink = (queue, parameters) => pageLink(`queues/${encodeURIComponent(queue)}`, parameters);

// Ids may hold anything; what a proxy might change on its way goes into the query
export const jobLink = (queue, id) => (PLAIN.test(id)
	? pageLink(`queues/${encodeURIComponent(queue)}/jobs/${id}`)
	: pageLink(`queues/${encodeURIComponent(queue)}/jobs`, { id }));

export function link(href, content, label) {
	return h("a", { href, "data-nav": true, "aria-label": label }, content);
}
