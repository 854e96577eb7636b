package io.lowkiq.engine;

import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;

import io.lowkiq.engine.perform.ThreadState;
import org.jspecify.annotations.Nullable;

/** The source of the performing threads; without a factory, the runtime makes them. */
record ThreadSource(@Nullable ThreadFactory factory, boolean threadPerRun, List<Supplier<ThreadState>> states) {
}
