package io.lowkiq.consumer.aot;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/** A payload whose subtypes are named. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
@JsonSubTypes({ @JsonSubTypes.Type(value = Payment.Card.class, name = "card"),
		@JsonSubTypes.Type(value = Payment.Transfer.class, name = "transfer") })
sealed interface Payment {

	/**
	 * By card.
	 *
	 * @param number of the card
	 */
	record Card(String number) implements Payment {
	}

	/**
	 * By transfer.
	 *
	 * @param account from which it comes
	 */
	record Transfer(String account) implements Payment {
	}

}
