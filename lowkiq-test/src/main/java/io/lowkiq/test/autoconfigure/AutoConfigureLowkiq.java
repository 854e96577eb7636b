package io.lowkiq.test.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.parallel.ResourceLock;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

import io.lowkiq.test.LowkiqMode;

/**
 * Has the jobs of a Spring test in memory instead of Redis, and gives the test a
 * {@link io.lowkiq.test.LowkiqTester} bean. For tests of a whole application with
 * {@code @SpringBootTest}; for the workers alone there is {@link LowkiqTest}. The store
 * is emptied after each test, so of the tests of a JVM that have one, only one runs at a
 * time, even if JUnit runs tests in parallel.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
@ResourceLock(AutoConfigureLowkiq.STORE)
public @interface AutoConfigureLowkiq {

	/** The JUnit resource that a test holds while it runs. */
	String STORE = "io.lowkiq.test.store";

	/**
	 * When the jobs are performed.
	 * @return by default, when the test says so
	 */
	LowkiqMode mode() default LowkiqMode.MANUAL;

}
