package io.lowkiq.test.app;

import io.lowkiq.LowkiqClient;

import org.springframework.stereotype.Service;

/** A part of the application that a slice leaves out. */
@Service
class ShopFront {

	private final LowkiqClient lowkiq;

	ShopFront(LowkiqClient lowkiq) {
		this.lowkiq = lowkiq;
	}

	void order(String id) {
		this.lowkiq.enqueue(OrderWorker.class, id, new Order(1, "NEW"));
	}

}
