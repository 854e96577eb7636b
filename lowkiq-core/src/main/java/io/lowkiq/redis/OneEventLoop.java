package io.lowkiq.redis;

import java.util.concurrent.TimeUnit;

import io.lettuce.core.resource.EventLoopGroupProvider;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ManualIoEventLoop;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;

/**
 * Gives a client the event loop of the thread that uses it, which also ends it.
 *
 * @param loop the event loop
 */
record OneEventLoop(ManualIoEventLoop loop) implements EventLoopGroupProvider {

	@Override
	@SuppressWarnings({ "unchecked", "TypeParameterUnusedInFormals" })
	public <T extends EventLoopGroup> T allocate(Class<T> type) {
		return (T) (EventLoopGroup) this.loop;
	}

	@Override
	public int threadPoolSize() {
		return 1;
	}

	@Override
	public Future<Boolean> release(EventExecutorGroup group, long quietPeriod, long timeout, TimeUnit unit) {
		return done();
	}

	@Override
	public Future<Boolean> shutdown(long quietPeriod, long timeout, TimeUnit unit) {
		return done();
	}

	private static Future<Boolean> done() {
		return GlobalEventExecutor.INSTANCE.newSucceededFuture(true);
	}

}
