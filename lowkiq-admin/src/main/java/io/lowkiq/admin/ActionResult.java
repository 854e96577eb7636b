package io.lowkiq.admin;

/**
 * The result of an action.
 *
 * @param changed how many jobs were changed; of pausing and resuming, how many shards
 * @param complete whether it ran to its end; false if its {@link ActionProgress} has
 * stopped it
 */
public record ActionResult(long changed, boolean complete) {
}
