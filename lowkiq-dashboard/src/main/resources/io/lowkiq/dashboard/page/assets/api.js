// Talks to the JSON API, and knows the addresses of the pages. All are relative to where this file was loaded from.

export const ROOT = new URL("../../", import.meta.url);

const API = new URL("api/v1/", ROOT);

// A server that is alive answers sooner; what counts or searches takes up to two seconds
const PATIENCE = 4000;

export class ApiError extends Error {
	constructor(status, message) {
		super(message);
		this.status = status;
	}
}

export const SERVER_AWAY = "The server can't be reached.";

const UNCERTAIN = "The connection was lost. The action may have been carried out: see Audit.";

function address(base, path, parameters) {
	const url = new URL(path, base);
	for (const [name, value] of Object.entries(parameters ?? {})) {
		if (value !== undefined && value !== null && value !== "") {
			url.searchParams.set(name, value);
		}
	}
	return url;
}

function forStatus(status) {
	return status === 403 ? "You don't have permission to do this." : `The server responded with status ${status}.`;
}

async function request(url, options) {
	let response;
	try {
		// A change has no limit: nobody would know whether it was carried out
		const signal = options.method ? undefined : AbortSignal.timeout(PATIENCE);
		response = await fetch(url, { credentials: "same-origin", cache: "no-store", signal, ...options });
	}
	catch (error) {
		if (options.method) {
			throw new ApiError(0, UNCERTAIN);
		}
		throw new ApiError(0, error.name === "TimeoutError" ? `The server did not respond within ${PATIENCE / 1000} seconds.` : SERVER_AWAY);
	}
	return check(response);
}

async function check(response) {
	const type = response.headers.get("content-type") ?? "";
	if (response.status === 204) {
		return response;
	}
	if (response.redirected || !/json/.test(type)) {
		if (response.ok || response.status === 401) {
			throw new ApiError(401, "You are no longer signed in. Reload the page.");
		}
		throw new ApiError(response.status, forStatus(response.status));
	}
	if (!response.ok) {
		const sentence = (await body(response)).error;
		throw new ApiError(response.status, typeof sentence === "string" && sentence !== "Forbidden" ? sentence : forStatus(response.status));
	}
	return response;
}

// A response can end in the middle, as when the server stops
async function body(response) {
	try {
		return response.status === 204 ? null : await response.json();
	}
	catch {
		throw new ApiError(0, SERVER_AWAY);
	}
}

export async function get(path, parameters) {
	return body(await request(address(API, path, parameters), { headers: { Accept: "application/json" } }));
}

// A page of a list, a job a line, and the token of the next page
export async function getLines(path, parameters) {
	const response = await request(address(API, path, parameters), { headers: { Accept: "application/x-ndjson" } });
	return { text: await response.text(), next: response.headers.get("X-Lowkiq-Next") };
}

let session = null;

export async function loadSession() {
	session = await get("session");
	session.mayAct = false;
	if (session.actionsEnabled) {
		try {
			await change("POST", "access");
			session.mayAct = true;
		}
		catch (error) {
			if (error.status !== 403 && error.status !== 401) {
				throw error;
			}
		}
	}
	return session;
}

export function mayAct() {
	return session?.mayAct ?? false;
}

export function hasSources() {
	return session?.sources ?? false;
}

export async function change(method, path, document) {
	const headers = { Accept: "application/json", "Content-Type": "application/json", "X-Lowkiq-Request": "1" };
	if (session?.csrf) {
		headers[session.csrf.name] = session.csrf.token;
	}
	return body(await request(address(API, path), { method, headers, body: document === undefined ? undefined : JSON.stringify(document) }));
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

// The same call for a shell. Who calls signs in by name and password
export function curl(method, path, document) {
	return [`curl -X ${method}`, session?.user ? `-u ${quoted(session.user)}` : null, "-H 'Content-Type: application/json'", "-H 'X-Lowkiq-Request: 1'",
		document === undefined ? null : `-d ${quoted(JSON.stringify(document))}`, quoted(address(API, path).href)].filter(Boolean).join(" ");
}

export const needsCsrf = () => Boolean(session?.csrf);

// Paths of the API
export function queuePath(queue, ...rest) {
	return ["queues", encodeURIComponent(queue), ...rest].join("/");
}

// Addresses of the pages
export const pageLink = (path, parameters) => address(ROOT, path, parameters).href;

export const queueLink = (queue, parameters) => pageLink(`queues/${encodeURIComponent(queue)}`, parameters);

const PLAIN = /^[A-Za-z0-9_~-][A-Za-z0-9_.~-]*$/;

// Ids may hold anything; what a proxy might change on its way goes into the query
export const jobLink = (queue, id) => (PLAIN.test(id)
	? pageLink(`queues/${encodeURIComponent(queue)}/jobs/${id}`)
	: pageLink(`queues/${encodeURIComponent(queue)}/jobs`, { id }));
