package io.lowkiq.test;

import java.util.function.Consumer;

import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/** Empties the store after each test: the next one may have the same context. */
class LowkiqResetListener extends AbstractTestExecutionListener {

	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE - 100;
	}

	@Override
	public void beforeTestMethod(TestContext testContext) {
		testers(testContext, LowkiqTester::begin);
	}

	@Override
	public void afterTestMethod(TestContext testContext) {
		testers(testContext, LowkiqTester::reset);
	}

	private static void testers(TestContext testContext, Consumer<LowkiqTester> step) {
		if (testContext.hasApplicationContext()) {
			ApplicationContext context = testContext.getApplicationContext();
			for (String name : context.getBeanNamesForType(LowkiqTester.class, false, false)) {
				step.accept(context.getBean(name, LowkiqTester.class));
			}
		}
	}

}
