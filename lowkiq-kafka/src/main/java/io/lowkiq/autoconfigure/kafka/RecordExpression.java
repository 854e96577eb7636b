package io.lowkiq.autoconfigure.kafka;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

import io.lowkiq.autoconfigure.LowkiqConfigurationException;

/** A text with expressions of a record. Parsed once; thread-safe. */
final class RecordExpression {

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	private static final String PROPERTIES = "key, value, headers, topic, partition, offset and timestamp";

	private final EvaluationContext context = SimpleEvaluationContext.forReadOnlyDataBinding()
		.withInstanceMethods()
		.build();

	private final Expression expression;

	/**
	 * @throws LowkiqConfigurationException if the text can't be read, has no expression
	 * in it, or asks for what no record has
	 */
	RecordExpression(String text, String where) {
		if (!text.contains("#{")) {
			throw new LowkiqConfigurationException(
					"The %s is '%s', which is the same for every record".formatted(where, text),
					"Write an expression, such as #{key}, of " + PROPERTIES);
		}
		try {
			this.expression = PARSER.parseExpression(text, new TemplateParserContext());
		}
		catch (ParseException ex) {
			throw new LowkiqConfigurationException(
					"The %s is '%s', which can't be read: %s".formatted(where, text, ex.getMessage()),
					"Correct the expression. It may use " + PROPERTIES);
		}
		failOnUnknownProperty(text, where);
	}

	/** A record without a value has all properties, but none of the value's. */
	private void failOnUnknownProperty(String text, String where) {
		try {
			evaluate(new RecordView(new ConsumerRecord<>("", 0, 0, null, null), null));
		}
		catch (SpelEvaluationException ex) {
			if (ex.getMessageCode() == SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE) {
				throw new LowkiqConfigurationException(
						"The %s is '%s', but records have no such property: %s".formatted(where, text, ex.getMessage()),
						"Correct the expression. It may use " + PROPERTIES);
			}
		}
		catch (EvaluationException | IllegalArgumentException | UnfitRecordException ex) {
			// It may well work for a record with a value
		}
	}

	/**
	 * The result of a single expression, else the text.
	 * @throws UnfitRecordException if one of several parts is null
	 */
	@Nullable Object evaluate(RecordView view) {
		if (!(this.expression instanceof CompositeStringExpression composite)) {
			return this.expression.getValue(this.context, view);
		}
		StringBuilder text = new StringBuilder();
		for (Expression part : composite.getExpressions()) {
			Object value = part.getValue(this.context, view);
			if (value == null) {
				throw new UnfitRecordException(null, "Its '%s' is null".formatted(part.getExpressionString()), null);
			}
			text.append(value);
		}
		return text.toString();
	}

}
