package io.lowkiq.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

import io.lowkiq.LayoutMismatchException;
import io.lowkiq.LowkiqException;

/** Says what to change when the configuration can't work, or a layout differs. */
class LowkiqConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<LowkiqException> {

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, LowkiqException cause) {
		String action = (cause instanceof LowkiqConfigurationException configuration) ? configuration.action()
				: (cause instanceof LayoutMismatchException mismatch) ? mismatch.advice() : null;
		return (action != null) ? new FailureAnalysis(cause.getMessage() + ".", action + ".", cause) : null;
	}

}
