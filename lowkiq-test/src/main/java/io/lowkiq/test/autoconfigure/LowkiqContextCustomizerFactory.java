package io.lowkiq.test.autoconfigure;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

import io.lowkiq.test.LowkiqMode;
import io.lowkiq.test.LowkiqTester;

/** Turns the mode into properties, which override those of the application. */
class LowkiqContextCustomizerFactory implements ContextCustomizerFactory {

	/** The name of the property that holds the mode. */
	static final String MODE = "lowkiq.test.mode";

	@Override
	public @Nullable ContextCustomizer createContextCustomizer(Class<?> testClass,
			List<ContextConfigurationAttributes> configAttributes) {
		AutoConfigureLowkiq annotation = TestContextAnnotationUtils.findMergedAnnotation(testClass,
				AutoConfigureLowkiq.class);
		return (annotation != null) ? new ModeCustomizer(annotation.mode()) : null;
	}

	/** Part of the key under which contexts are cached. */
	private record ModeCustomizer(LowkiqMode mode) implements ContextCustomizer {

		@Override
		public void customizeContext(ConfigurableApplicationContext context,
				MergedContextConfiguration mergedConfiguration) {
			Map<String, Object> properties = Map.of(MODE, this.mode.name(), "lowkiq.enabled", true,
					"lowkiq.server.enabled", this.mode == LowkiqMode.RUNNING, "lowkiq.server.lease-duration",
					LowkiqTester.LEASE_DURATION.toString());
			context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("lowkiqTest", properties));
		}

	}

}
