package io.lowkiq.sample.orders;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.lowkiq.StoreException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

import org.springframework.context.MessageSourceResolvable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.validation.FieldError;
import org.springframework.validation.ObjectError;
import org.springframework.validation.method.ParameterErrors;
import org.springframework.validation.method.ParameterValidationResult;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.method.annotation.HandlerMethodValidationException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/** Answers bad requests with a problem detail that names the field. */
@RestControllerAdvice
class OrderProblems extends ResponseEntityExceptionHandler {

	@Override
	protected @Nullable ResponseEntity<Object> handleHttpMessageNotReadable(HttpMessageNotReadableException ex,
			HttpHeaders headers, HttpStatusCode status, WebRequest request) {
		return badRequest(ex, Set.of(unreadable(ex.getCause())), headers, request);
	}

	@Override
	protected @Nullable ResponseEntity<Object> handleHandlerMethodValidationException(
			HandlerMethodValidationException ex, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
		Set<InvalidField> fields = new LinkedHashSet<>();
		for (ParameterValidationResult result : ex.getParameterValidationResults()) {
			if (result instanceof ParameterErrors errors) {
				errors.getAllErrors().forEach((error) -> fields.add(invalid(error)));
			}
			else {
				String name = result.getMethodParameter().getParameterName();
				result.getResolvableErrors()
					.forEach((error) -> fields.add(new InvalidField((name != null) ? name : "id", message(error))));
			}
		}
		return badRequest(ex, fields, headers, request);
	}

	@ExceptionHandler
	ProblemDetail unavailable(StoreException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE,
				"Redis can't be reached. The change may or may not be in the queue; sending it again does no harm");
	}

	@ExceptionHandler
	ProblemDetail unavailable(DataAccessResourceFailureException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE,
				"Redis or the database can't be reached. Sending the change again does no harm");
	}

	private @Nullable ResponseEntity<Object> badRequest(Exception ex, Set<InvalidField> fields, HttpHeaders headers,
			WebRequest request) {
		String detail = fields.stream()
			.map((field) -> field.field() + ": " + field.message())
			.collect(Collectors.joining("; "));
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, detail);
		problem.setProperty("errors", List.copyOf(fields));
		return handleExceptionInternal(ex, problem, headers, HttpStatus.BAD_REQUEST, request);
	}

	private static InvalidField unreadable(@Nullable Throwable cause) {
		if (cause instanceof JacksonException problem && !problem.getPath().isEmpty()) {
			String field = problem.getPath()
				.stream()
				.map((reference) -> (reference.getPropertyName() != null) ? reference.getPropertyName()
						: "[" + reference.getIndex() + "]")
				.collect(Collectors.joining("."));
			return new InvalidField(field, "can't be read: it has the wrong type or form");
		}
		return new InvalidField("body", "must be a JSON object with version, status and amount");
	}

	private static InvalidField invalid(ObjectError error) {
		return new InvalidField((error instanceof FieldError field) ? field.getField() : "body", message(error));
	}

	private static String message(MessageSourceResolvable error) {
		String message = error.getDefaultMessage();
		return (message != null) ? message : "is not valid";
	}

	/** A field that is not valid. */
	record InvalidField(String field, String message) {
	}

}
