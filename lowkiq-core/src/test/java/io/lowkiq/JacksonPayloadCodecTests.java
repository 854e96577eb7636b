package io.lowkiq;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.DefaultTyping;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class JacksonPayloadCodecTests {

	private final JacksonPayloadCodec codec = new JacksonPayloadCodec();

	record Order(String zebra, int apple, Map<String, Integer> lines) {
	}

	record Any(Object value) {
	}

	record Unwritable(int value) {

		@Override
		public int value() {
			throw new IllegalStateException("boom");
		}

	}

	@Test
	void equalPayloadsGiveEqualBytes() {
		Map<String, Integer> one = new LinkedHashMap<>();
		one.put("b", 2);
		one.put("a", 1);
		Map<String, Integer> other = new LinkedHashMap<>();
		other.put("a", 1);
		other.put("b", 2);
		byte[] bytes = this.codec.encode(new Order("z", 1, one));
		assertThat(bytes).isEqualTo(this.codec.encode(new Order("z", 1, other)));
		assertThat(text(bytes)).isEqualTo("{\"apple\":1,\"lines\":{\"a\":1,\"b\":2},\"zebra\":\"z\"}");
	}

	@Test
	void aPayloadSurvivesTheWayThereAndBack() {
		Order order = new Order("ü😀", -5, Map.of("x", 1));
		assertThat(this.codec.decode(this.codec.encode(order), Order.class)).isEqualTo(order);
	}

	@Test
	void genericTypesAreRead() {
		Type listOfOrders = new ParameterizedType() {

			@Override
			public Type[] getActualTypeArguments() {
				return new Type[] { Order.class };
			}

			@Override
			public Type getRawType() {
				return List.class;
			}

			@Override
			public Type getOwnerType() {
				return null;
			}

		};
		List<Order> orders = List.of(new Order("a", 1, Map.of()));
		assertThat(this.codec.decode(this.codec.encode(orders), listOfOrders)).isEqualTo(orders);
	}

	@Test
	void unknownPropertiesAreIgnored() {
		assertThat(this.codec.decode(bytes("{\"apple\":1,\"new\":{\"x\":[1]}}"), Order.class))
			.isEqualTo(new Order(null, 1, null));
	}

	@ParameterizedTest
	@ValueSource(strings = { "null", "", "{", "[]", "\"x\"", "{} {}" })
	void whatIsNotAPayloadIsRefused(String json) {
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> this.codec.decode(bytes(json), Order.class));
	}

	@Test
	void whatCanNotBeWrittenIsRefused() {
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> this.codec.encode(new Unwritable(1)))
			.withMessageContaining("Unwritable");
	}

	@Test
	void noTypeNameIsEverTurnedIntoAClass() {
		JsonMapper typing = JsonMapper.builder()
			.activateDefaultTyping(BasicPolymorphicTypeValidator.builder().allowIfBaseType(Object.class).build(),
					DefaultTyping.NON_FINAL)
			.build();
		JacksonPayloadCodec untyped = new JacksonPayloadCodec(typing);
		assertThat(text(untyped.encode(new Any(new Order("a", 1, Map.of()))))).doesNotContain("Order");
		Any read = (Any) untyped.decode(bytes("{\"value\":[\"java.io.File\",\"/tmp\"]}"), Any.class);
		assertThat(read.value()).isEqualTo(List.of("java.io.File", "/tmp"));
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static String text(byte[] bytes) {
		return new String(bytes, StandardCharsets.UTF_8);
	}

}
