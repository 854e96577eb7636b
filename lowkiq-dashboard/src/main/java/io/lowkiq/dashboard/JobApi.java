package io.lowkiq.dashboard;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

import io.lowkiq.Ids;
import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.Order;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.JobView.State;
import io.lowkiq.store.Membership;
import io.lowkiq.store.NodeRegistry;
import io.lowkiq.store.Payload;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.inspection.ShardInspection;
import org.jspecify.annotations.Nullable;

/**
 * Answers the API's questions about jobs.
 */
final class JobApi {

	private static final int PAGE = 50;

	private static final int MOST_PAGE = 200;

	/** Of each payload in a list. */
	private static final int LIST_PAYLOADS = 5;

	private static final int LIST_CHARACTERS = 4_096;

	/** On the page of one id. */
	private static final int DETAIL_PAYLOADS = 100;

	private static final int DETAIL_CHARACTERS = 65_536;

	private final ShardInspection inspection;

	private final QueueInspection jobs;

	private final NodeRegistry nodes;

	private final WhyNotPerformed why;

	private final PayloadText.Renderer renderer;

	private final JobViews views;

	JobApi(ShardInspection inspection, NodeRegistry nodes, PayloadText.Renderer renderer) {
		this.inspection = inspection;
		this.jobs = new QueueInspection(inspection);
		this.nodes = nodes;
		this.why = new WhyNotPerformed(inspection);
		this.renderer = renderer;
		this.views = new JobViews(renderer);
	}

	Views.Jobs list(QueueLayout queue, DashboardRequest request) {
		State state = state(request);
		Order order = order(request);
		if (order == Order.RETRY_COUNT && state != State.QUEUED) {
			throw ApiException.badRequest("Only queued jobs are ordered by retry-count");
		}
		String prefix = request.parameter("prefix");
		if (prefix != null && order != Order.ID) {
			throw ApiException.badRequest("A prefix needs the order 'id'");
		}
		JobQuery query = new JobQuery(state, order, "true".equals(request.parameter("descending")),
				from(request, order), prefix, request.parameter("after"), number(request, "limit", PAGE, 1, MOST_PAGE),
				payloads(LIST_PAYLOADS));
		Integer shard = (request.parameter("shard") != null) ? number(request, "shard", 0, 0, queue.shards() - 1)
				: null;
		JobPage page = this.jobs.list(queue, query, shard);
		return new Views.Jobs(this.nodes.members().now(),
				page.jobs().stream().map((job) -> this.views.job(job, LIST_CHARACTERS, null)).toList(), page.next());
	}

	Views.JobDetail detail(QueueLayout queue, DashboardRequest request) {
		String id = id(request);
		List<JobView> found = this.jobs.find(queue, id, payloads(DETAIL_PAYLOADS));
		Membership membership = this.nodes.members();
		ShardCounts counts = this.inspection.counts(queue.shardOf(id));
		WhyNotPerformed.Answer answer = this.why.explain(queue.shardOf(id), found, counts, membership);
		return new Views.JobDetail(counts.now(), queue.name(), id, queue.shardOf(id).index(), answer, counts.paused(),
				found.stream().map((job) -> this.views.job(job, DETAIL_CHARACTERS, answer.node())).toList());
	}

	PayloadText payload(QueueLayout queue, DashboardRequest request) {
		String id = id(request);
		int place = number(request, "place", 0, 0, 999);
		Optional<JobView> job = this.inspection.find(queue.shardOf(id), state(request), id, place + 1);
		List<Payload> payloads = job.map(JobView::payloads).orElse(List.of());
		if (place >= payloads.size()) {
			throw ApiException.notFound("There is no such payload any more");
		}
		return this.renderer.render(queue.name(), id, payloads.get(place), Integer.MAX_VALUE);
	}

	private int payloads(int most) {
		return (this.renderer.visibility() == PayloadVisibility.HIDDEN) ? 0 : most;
	}

	private static String id(DashboardRequest request) {
		return Ids.check(request.parameter("id"));
	}

	private static State state(DashboardRequest request) {
		String state = request.parameter("state");
		return switch ((state != null) ? state : "queued") {
			case "queued" -> State.QUEUED;
			case "busy" -> State.BUSY;
			case "dead" -> State.DEAD;
			default -> throw ApiException.badRequest("state is one of queued, busy, dead");
		};
	}

	private static Order order(DashboardRequest request) {
		String order = request.parameter("order");
		return switch ((order != null) ? order : "perform-at") {
			case "id" -> Order.ID;
			case "perform-at" -> Order.PERFORM_AT;
			case "retry-count" -> Order.RETRY_COUNT;
			default -> throw ApiException.badRequest("order is one of id, perform-at, retry-count");
		};
	}

	private static @Nullable String from(DashboardRequest request, Order order) {
		String from = request.parameter("from");
		if (from != null && order != Order.ID) {
			try {
				return Long.toString(Long.parseLong(from));
			}
			catch (NumberFormatException ex) {
				throw ApiException.badRequest("from is a whole number, of a time in milliseconds since 1970");
			}
		}
		return from;
	}

	private static int number(DashboardRequest request, String name, int otherwise, int least, int most) {
		String text = request.parameter(name);
		if (text == null) {
			return otherwise;
		}
		try {
			int number = Integer.parseInt(text);
			if (number >= least && number <= most) {
				return number;
			}
		}
		catch (NumberFormatException ex) {
			// The answer is below
		}
		throw ApiException
			.badRequest("%s lies between %d and %d".formatted(name.toLowerCase(Locale.ROOT), least, most));
	}

}
