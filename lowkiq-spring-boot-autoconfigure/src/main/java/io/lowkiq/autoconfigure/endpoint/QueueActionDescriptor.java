package io.lowkiq.autoconfigure.endpoint;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The result of an action on a queue.
 *
 * @param queue the queue's name
 * @param action what was asked for
 * @param changed how many jobs were changed, or shards paused or resumed
 * @param more whether the time was over before all was done: ask again
 */
public record QueueActionDescriptor(String queue, QueueAction action, long changed,
		boolean more) implements OperationResponseBody {
}
