package io.lowkiq.store;

import java.time.InstantSource;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.support.TypeBasedParameterResolver;

/** Where the storage of a contract comes from: the test class, or the suite around it. */
interface StoreSource {

	/** Makes an empty storage. */
	TestedStore open(InstantSource source);

	/** Finds it around the contract. */
	final class Resolver extends TypeBasedParameterResolver<StoreSource> {

		@Override
		public StoreSource resolveParameter(ParameterContext parameter, ExtensionContext context) {
			return context.getRequiredTestInstances().findInstance(StoreSource.class).orElseThrow();
		}

	}

}
