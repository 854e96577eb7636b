package io.lowkiq.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

import io.lowkiq.LayoutMismatchException;

/** Says what to change when a queue is recorded with another layout. */
class LayoutMismatchFailureAnalyzer extends AbstractFailureAnalyzer<LayoutMismatchException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LayoutMismatchException cause) {
		return new FailureAnalysis(cause.getMessage() + ".", cause.advice() + ".", cause);
	}

}
