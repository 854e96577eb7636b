package io.lowkiq.autoconfigure.observation;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.task.TaskDecorator;

import io.lowkiq.PerformInterceptor;
import io.lowkiq.autoconfigure.LowkiqClientAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqRedisAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqServerAutoConfiguration;
import io.lowkiq.testing.MemoryStoreConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Performs run inside of the application's task decorators. */
class DecoratedPerformsTests {

	private static final PerformInterceptor.Call CALL = new PerformInterceptor.Call("orders", 0, List.of(), 1);

	private final List<String> seen = new ArrayList<>();

	private TaskDecorator decorator(String name) {
		return (task) -> () -> {
			this.seen.add("before " + name);
			try {
				task.run();
			}
			finally {
				this.seen.add("after " + name);
			}
		};
	}

	@Test
	void theFirstDecoratorIsOutermost() throws Exception {
		new DecoratedPerforms(List.of(decorator("one"), decorator("two"))).perform(CALL,
				() -> this.seen.add("perform"));
		assertThat(this.seen).containsExactly("before one", "before two", "perform", "after two", "after one");
	}

	@Test
	void whatTheWorkerThrowsIsThrownOn() {
		DecoratedPerforms performs = new DecoratedPerforms(List.of(decorator("one")));
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> performs.perform(CALL, () -> {
			throw new InterruptedException();
		}));
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> performs.perform(CALL, () -> {
			throw new OutOfMemoryError("pretended");
		}));
		assertThat(this.seen).containsExactly("before one", "after one", "before one", "after one");
	}

	@Test
	void aDecoratorThatDoesNotRunThePerformMakesItFail() {
		DecoratedPerforms performs = new DecoratedPerforms(List.of((task) -> () -> {
		}));
		assertThatIllegalStateException().isThrownBy(() -> performs.perform(CALL, () -> this.seen.add("perform")))
			.withMessageContaining("TaskDecorator");
		assertThat(this.seen).isEmpty();
	}

	@Test
	void areThereWithADecoratorOnly() {
		ApplicationContextRunner runner = new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(LowkiqRedisAutoConfiguration.class, LowkiqClientAutoConfiguration.class,
							LowkiqServerAutoConfiguration.class, LowkiqObservationAutoConfiguration.class))
			.withUserConfiguration(MemoryStoreConfiguration.class)
			.withPropertyValues("lowkiq.server.enabled=false");
		runner.run((context) -> assertThat(context).doesNotHaveBean(DecoratedPerforms.class));
		runner.withBean(TaskDecorator.class, () -> decorator("one"))
			.run((context) -> assertThat(context).hasSingleBean(DecoratedPerforms.class));
	}

}
