package io.lowkiq.autoconfigure.endpoint;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * The endpoint {@code lowkiq} by HTTP: says why a request is refused, which Spring Boot
 * leaves out of its answers.
 */
@EndpointWebExtension(endpoint = LowkiqEndpoint.class)
public class LowkiqEndpointWebExtension {

	private final LowkiqEndpoint endpoint;

	/** The endpoint by HTTP. */
	public LowkiqEndpointWebExtension(LowkiqEndpoint endpoint) {
		this.endpoint = endpoint;
	}

	/**
	 * Changes a queue.
	 * @param action the name of a {@link QueueAction}, in any spelling
	 * @param ids the jobs of the queue that are concerned; by default all
	 * @return what was done, as a {@link QueueActionDescriptor}; or status 400 and an
	 * {@code error}
	 */
	@WriteOperation
	public WebEndpointResponse<Object> act(SecurityContext caller, @Selector String queue, @Nullable String action,
			@Nullable List<String> ids) {
		Optional<QueueAction> known = Arrays.stream(QueueAction.values())
			.filter((candidate) -> action != null && uniform(candidate.name()).equals(uniform(action)))
			.findFirst();
		if (known.isEmpty()) {
			return refused((action != null) ? "Unknown action '%s'. Known actions: %s".formatted(action, actions())
					: "The action is missing. Known actions: " + actions());
		}
		try {
			return new WebEndpointResponse<>(this.endpoint.act(caller, queue, known.get(), ids));
		}
		catch (InvalidEndpointRequestException ex) {
			return refused(String.valueOf(ex.getReason()));
		}
	}

	private static WebEndpointResponse<Object> refused(String reason) {
		return new WebEndpointResponse<>(Map.of("error", reason), WebEndpointResponse.STATUS_BAD_REQUEST);
	}

	private static String actions() {
		return Arrays.stream(QueueAction.values())
			.map((action) -> action.name().toLowerCase(Locale.ROOT).replace('_', '-'))
			.collect(Collectors.joining(", "));
	}

	private static String uniform(String name) {
		return name.replaceAll("[^A-Za-z]", "").toLowerCase(Locale.ROOT);
	}

}
