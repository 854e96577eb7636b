package io.lowkiq.store;

/**
 * The store's answer to {@link ShardStore#enqueue}.
 *
 * @param merged how many of the payloads merged into a job that was queued already
 * @param now the store's time, in milliseconds since 1970
 */
public record EnqueueResult(int merged, long now) {
}
