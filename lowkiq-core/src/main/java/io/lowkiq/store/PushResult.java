package io.lowkiq.store;

/**
 * The store's answer to {@link ShardStore#push}.
 *
 * @param merged how many of the pushes merged into a job that was queued already
 * @param now the store's time, in milliseconds since 1970
 */
public record PushResult(int merged, long now) {
}
