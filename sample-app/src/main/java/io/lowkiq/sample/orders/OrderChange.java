package io.lowkiq.sample.orders;

import java.math.BigDecimal;

import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Digits;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.PositiveOrZero;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request that tells of a change.
 *
 * @param version 0 to 2^53, so that it is exact as a score
 * @param status up to 40 letters, digits, {@code _} and {@code -}
 * @param amount a decimal number with up to two places
 */
@SuppressWarnings("MultipleNullnessAnnotations")
record OrderChange(@NotNull @PositiveOrZero @Max(1L << 53) @Nullable Long version,
		@NotNull @Pattern(regexp = "[A-Za-z0-9_-]{1,40}",
				message = "must be 1 to 40 letters, digits, '_' or '-'") @Nullable String status,
		@NotNull @Digits(integer = 12, fraction = 2) @DecimalMin("0") @Nullable String amount) {

	/** The snapshot that the validated change carries. */
	OrderSnapshot toSnapshot() {
		if (this.version == null || this.status == null || this.amount == null) {
			throw new IllegalStateException("The change was not validated");
		}
		return new OrderSnapshot(this.version, this.status, new BigDecimal(this.amount).setScale(2));
	}

}
