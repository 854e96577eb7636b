package io.lowkiq.engine;

import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

import io.lowkiq.ErrorFormatter;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.LowkiqServerEvent;
import io.lowkiq.PayloadCodec;
import io.lowkiq.PerformInterceptor;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.store.NodeRegistry;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.WakeUps;

/**
 * What a server was built with.
 *
 * @param workers the workers of the application
 * @param store where the jobs lie
 * @param queues the recorded queues
 * @param nodes the sessions of the nodes
 * @param wakeUps messages from the store
 * @param settings the settings
 * @param codec turns bytes into payloads
 * @param errorFormatter what is kept of an exception
 * @param interceptors run around every perform
 * @param observer told what the server does; doesn't throw
 * @param splitter distributes the shards
 * @param scheduler picks the next shard of a thread
 * @param clock the time that people are shown
 * @param nanoTime the monotonic clock
 * @param threadFactory makes the shard threads; null for platform threads
 * @param events told that the server has started, stopped or failed; doesn't throw
 * @param performContext what workers can ask about their perform
 * @param node the node's id
 */
record ServerParts(WorkerRegistry workers, ShardStore store, QueueRegistry queues, NodeRegistry nodes, WakeUps wakeUps,
		ServerSettings settings, PayloadCodec codec, ErrorFormatter errorFormatter,
		List<PerformInterceptor> interceptors, LowkiqObserver observer, ShardSplitter splitter,
		ShardScheduler scheduler, InstantSource clock, LongSupplier nanoTime, @Nullable ThreadFactory threadFactory,
		Consumer<LowkiqServerEvent> events, ThreadPerformContext performContext, String node) {
}
