package io.lowkiq.engine;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.lowkiq.StoreException;
import io.lowkiq.store.node.NodeRegistry;
import io.lowkiq.testing.Intercepted;

/**
 * A registry that a node can be cut off from, and that counts its heartbeats and reports.
 */
class SilentRegistry {

	/** The registry for the node. */
	final NodeRegistry nodes;

	/** Whether the node is cut off. */
	private final AtomicBoolean cut;

	/** Written by the thread that beats. */
	final AtomicInteger beats = new AtomicInteger();

	/** Written by the thread that reports. */
	final AtomicInteger reports = new AtomicInteger();

	/** The heartbeats and reports that have begun and not ended. */
	final AtomicInteger underWay = new AtomicInteger();

	SilentRegistry(NodeRegistry registry, AtomicBoolean cut) {
		this.cut = cut;
		this.nodes = Intercepted.of(NodeRegistry.class, registry, this::answer);
	}

	private Object answer(String method, Intercepted.Call call) throws Throwable {
		if (this.cut.get()) {
			throw new StoreException("Cut off", null);
		}
		if (!method.equals("beat") && !method.equals("report")) {
			return call.make();
		}
		this.underWay.incrementAndGet();
		try {
			Object answer = call.make();
			(method.equals("beat") ? this.beats : this.reports).incrementAndGet();
			return answer;
		}
		finally {
			this.underWay.decrementAndGet();
		}
	}

}
