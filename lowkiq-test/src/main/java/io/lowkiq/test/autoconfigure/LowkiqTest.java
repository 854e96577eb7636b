package io.lowkiq.test.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

import io.lowkiq.test.LowkiqMode;

/**
 * Tests workers without the rest of the application: no web, no database, no Redis. The
 * context has the beans annotated with {@link io.lowkiq.LowkiqWorker @LowkiqWorker}, the
 * interceptors, observers, codecs and other extension points of Lowkiq, a client, and a
 * {@link io.lowkiq.test.LowkiqTester}. What else the workers need, the test brings, for
 * instance by {@code @MockitoBean} or {@code @Import}. The store is emptied after each
 * test.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@BootstrapWith(LowkiqTestContextBootstrapper.class)
@ExtendWith(SpringExtension.class)
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(LowkiqTypeExcludeFilter.class)
@AutoConfigureLowkiq
@ImportAutoConfiguration
public @interface LowkiqTest {

	/**
	 * The workers to test; the same as {@link #workers()}.
	 * @return the classes of workers, or none for all
	 */
	@AliasFor("workers")
	Class<?>[] value() default {};

	/**
	 * The workers to test, so that the test needn't bring what the others need.
	 * @return the classes of workers, or none for all
	 */
	@AliasFor("value")
	Class<?>[] workers() default {};

	/**
	 * When the jobs are performed.
	 * @return by default, when the test says so
	 */
	@AliasFor(annotation = AutoConfigureLowkiq.class, attribute = "mode")
	LowkiqMode mode() default LowkiqMode.MANUAL;

	/**
	 * Properties of the environment, as {@code key=value}.
	 * @return the properties
	 */
	String[] properties() default {};

	/**
	 * Whether the beans named above are included by default.
	 * @return whether they are
	 */
	boolean useDefaultFilters() default true;

	/**
	 * Filters for further parts of the application to include.
	 * @return the filters
	 */
	Filter[] includeFilters() default {};

	/**
	 * Filters for parts of the application to leave out.
	 * @return the filters
	 */
	Filter[] excludeFilters() default {};

	/**
	 * Auto-configurations to leave out.
	 * @return the classes
	 */
	@AliasFor(annotation = ImportAutoConfiguration.class, attribute = "exclude")
	Class<?>[] excludeAutoConfiguration() default {};

}
