package io.lowkiq.sample.orders;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.StoreException;
import io.lowkiq.metrics.QueueStatistics;
import io.lowkiq.metrics.QueueStatistics.QueueCounts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.ArgumentMatchers;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.never;

/** Tests of {@link OrderController} and {@link OrderProblems}. */
@WebMvcTest(OrderController.class)
class OrderControllerTests {

	private static final String PAID = """
			{"version": 7, "status": "PAID", "amount": "12.50"}""";

	@Autowired
	private MockMvcTester mvc;

	@MockitoBean
	private LowkiqClient lowkiq;

	@MockitoBean
	private OrderFacts facts;

	@MockitoBean
	private QueueStatistics queues;

	@Test
	void changeIsEnqueuedWithItsVersionAsScore() {
		assertThat(post("42", PAID)).hasStatus(HttpStatus.ACCEPTED)
			.hasHeader("Location", "http://localhost/orders/42")
			.bodyJson()
			.isLenientlyEqualTo("""
					{"id": "42", "version": 7}""");
		OrderSnapshot snapshot = new OrderSnapshot(7, "PAID", new BigDecimal("12.50"));
		then(this.lowkiq).should().enqueue(eq(OrderWorker.class), eq(JobRequest.of("42", snapshot).score(7)));
		then(this.facts).should().received("42");
	}

	@Test
	void amountsThatAreEqualGiveEqualPayloads() {
		post("42", PAID.replace("\"12.50\"", "12.5"));
		OrderSnapshot snapshot = new OrderSnapshot(7, "PAID", new BigDecimal("12.50"));
		then(this.lowkiq).should().enqueue(eq(OrderWorker.class), eq(JobRequest.of("42", snapshot).score(7)));
	}

	@Test
	void idsWithSpecialCharactersComeBackInTheLocation() {
		assertThat(this.mvc.post()
			.uri("/orders/{id}", "a b ü?")
			.contentType(MediaType.APPLICATION_JSON)
			.content(PAID)
			.exchange()).hasStatus(HttpStatus.ACCEPTED)
			.hasHeader("Location", "http://localhost/orders/a%20b%20%C3%BC%3F");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', value = {
	// @formatter:off
			"{\"version\": 7, \"status\": \"PAID\", \"amount\": \"12.50\"          | body",
			"[]                                                                    | body",
			"null                                                                  | body",
			"7                                                                     | body",
			"{\"status\": \"PAID\", \"amount\": \"12.50\"}                         | version",
			"{\"version\": null, \"status\": \"PAID\", \"amount\": \"12.50\"}      | version",
			"{\"version\": -1, \"status\": \"PAID\", \"amount\": \"12.50\"}        | version",
			"{\"version\": 7.5, \"status\": \"PAID\", \"amount\": \"12.50\"}       | version",
			"{\"version\": \"seven\", \"status\": \"PAID\", \"amount\": \"12.50\"} | version",
			"{\"version\": {}, \"status\": \"PAID\", \"amount\": \"12.50\"}        | version",
			"{\"version\": 9007199254740993, \"status\": \"PAID\", \"amount\": \"12.50\"}     | version",
			"{\"version\": 99999999999999999999, \"status\": \"PAID\", \"amount\": \"12.50\"} | version",
			"{\"version\": 7, \"amount\": \"12.50\"}                               | status",
			"{\"version\": 7, \"status\": \"\", \"amount\": \"12.50\"}             | status",
			"{\"version\": 7, \"status\": \"two words\", \"amount\": \"12.50\"}    | status",
			"{\"version\": 7, \"status\": [], \"amount\": \"12.50\"}               | status",
			"{\"version\": 7, \"status\": \"PAID\"}                                | amount",
			"{\"version\": 7, \"status\": \"PAID\", \"amount\": \"much\"}          | amount",
			"{\"version\": 7, \"status\": \"PAID\", \"amount\": \"-1\"}            | amount",
			"{\"version\": 7, \"status\": \"PAID\", \"amount\": \"1.234\"}         | amount",
			"{\"version\": 7, \"status\": \"PAID\", \"amount\": \"1e99\"}          | amount" })
	// @formatter:on
	void badBodyIsRefusedWithTheNameOfTheField(String body, String field) {
		assertThatItIsRefused(post("42", body), field);
	}

	@Test
	void everyBadFieldIsNamed() {
		assertThat(post("42", "{}")).bodyJson()
			.extractingPath("$.errors[*].field")
			.asArray()
			.containsExactlyInAnyOrder("version", "status", "amount");
	}

	@Test
	void emptyBodyIsRefused() {
		assertThatItIsRefused(post("42", ""), "body");
	}

	@ParameterizedTest
	@ValueSource(strings = { " ", "stats", "a\tb" })
	void badIdIsRefused(String id) {
		assertThatItIsRefused(post(id, PAID), "id");
	}

	@Test
	void idOver200CharactersIsRefused() {
		assertThat(post("x".repeat(200), PAID)).hasStatus(HttpStatus.ACCEPTED);
		assertThat(post("x".repeat(201), PAID)).hasStatus(HttpStatus.BAD_REQUEST)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
			.bodyJson()
			.extractingPath("$.errors[0].field")
			.isEqualTo("id");
	}

	@Test
	void otherContentTypeIsRefusedAsProblem() {
		assertThat(this.mvc.post().uri("/orders/42").contentType(MediaType.TEXT_PLAIN).content(PAID).exchange())
			.hasStatus(HttpStatus.UNSUPPORTED_MEDIA_TYPE)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
	}

	@Test
	void storeOutOfReachIsServiceUnavailableAndNotCounted() {
		willThrow(new StoreException("away", null)).given(this.lowkiq)
			.enqueue(eq(OrderWorker.class), ArgumentMatchers.<JobRequest<OrderSnapshot>>any());
		assertThat(post("42", PAID)).hasStatus(HttpStatus.SERVICE_UNAVAILABLE)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
		then(this.facts).should(never()).received(any());
	}

	@Test
	void orderIsShown() {
		given(this.facts.find("42")).willReturn(Optional
			.of(new OrderView("42", 7, "PAID", new BigDecimal("12.50"), 3, Instant.EPOCH, 5, 4, 1, 0, 2, 0, 0)));
		assertThat(this.mvc.get().uri("/orders/42")).hasStatusOk().bodyJson().isLenientlyEqualTo("""
				{"id": "42", "version": 7, "status": "PAID", "amount": 12.50, "performed": 4, "failed": 2}""");
	}

	@Test
	void unknownOrderIsNotFound() {
		given(this.facts.find("42")).willReturn(Optional.empty());
		assertThat(this.mvc.get().uri("/orders/42")).hasStatus(HttpStatus.NOT_FOUND)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
	}

	@Test
	void statsShowWhatWasSeenAndWhatLiesInTheQueue() {
		given(this.facts.totals()).willReturn(new OrderTotals(10, 6, 3, 1, 2, 1, 0, 0, 0, 0));
		given(this.queues.snapshot())
			.willReturn(new QueueStatistics.Snapshot(Instant.EPOCH, List.of(counts("orders"), counts("other"))));
		assertThat(this.mvc.get().uri("/orders/stats")).hasStatusOk().bodyJson().isLenientlyEqualTo("""
				{"received": 10, "performed": 6, "merged": 3, "stale": 1, "failed": 2, "buried": 1,
				"overlaps": 0, "disordered": 0, "regressions": 0, "waiting": 6, "dead": 4, "lag": 1.5}""");
	}

	@Test
	void statsAreShownWhileRedisIsAway() {
		given(this.facts.totals()).willReturn(new OrderTotals(10, 6, 3, 1, 2, 1, 0, 0, 0, 0));
		given(this.queues.snapshot()).willThrow(new StoreException("away", null));
		assertThat(this.mvc.get().uri("/orders/stats")).hasStatusOk().bodyJson().isLenientlyEqualTo("""
				{"received": 10, "lag": null}""");
	}

	private void assertThatItIsRefused(MvcTestResult result, String field) {
		assertThat(result).hasStatus(HttpStatus.BAD_REQUEST)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
			.bodyJson()
			.extractingPath("$.errors[*].field")
			.asArray()
			.containsOnly(field);
		assertThat(result).bodyJson().extractingPath("$.detail").asString().startsWith(field + ": ");
		then(this.lowkiq).shouldHaveNoInteractions();
	}

	private MvcTestResult post(String id, String body) {
		return this.mvc.post().uri("/orders/{id}", id).contentType(MediaType.APPLICATION_JSON).content(body).exchange();
	}

	private static QueueCounts counts(String queue) {
		return new QueueCounts(queue, 24, 1, 2, 3, 0, 0, 4, 1_500, 1_500, 5, 6, List.of(), 0);
	}

}
