package io.lowkiq.reliability.check;

/**
 * A breach of a rule.
 *
 * @param what what happened
 */
public record Violation(Rule rule, String what) {
}
