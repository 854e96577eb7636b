package io.lowkiq.sample.orders;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.validation.Constraint;
import jakarta.validation.Payload;
import jakarta.validation.ReportAsSingleViolation;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;

/**
 * An order's id: 1 to 200 characters, not blank, none of them a control character, and
 * not {@code stats}, which is a resource of its own.
 */
@Documented
@Constraint(validatedBy = {})
@ReportAsSingleViolation
@NotBlank
@Size(max = 200)
@Pattern(regexp = "(?!stats$)\\P{Cntrl}*")
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
@interface OrderId {

	/** The message about an id that is not valid. */
	String message() default "must be 1 to 200 characters, not blank, without control characters, and not 'stats'";

	/** Not used. */
	Class<?>[] groups() default {};

	/** Not used. */
	Class<? extends Payload>[] payload() default {};

}
