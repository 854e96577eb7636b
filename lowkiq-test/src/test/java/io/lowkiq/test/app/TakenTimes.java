package io.lowkiq.test.app;

import java.util.concurrent.atomic.AtomicInteger;

import io.lowkiq.PerformInterceptor;

import org.springframework.stereotype.Component;

@Component
class TakenTimes implements PerformInterceptor {

	final AtomicInteger performs = new AtomicInteger();

	@Override
	public void perform(Call call, Chain chain) throws Exception {
		this.performs.incrementAndGet();
		chain.proceed();
	}

}
