package io.lowkiq.reliability.check;

/** A breach of a rule. */
public record Violation(Rule rule, String what) {
}
