package io.lowkiq.autoconfigure.endpoint;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What the endpoint {@code lowkiq} answers to an action.
 *
 * @param changed how many jobs were changed, or how many shards were paused or resumed
 * @param more whether there is more to do: then repeat the request
 */
public record ActionDescriptor(int changed, boolean more) implements OperationResponseBody {
}
