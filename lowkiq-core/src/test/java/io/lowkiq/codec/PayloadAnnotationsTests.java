package io.lowkiq.codec;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonGetter;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonKey;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.annotation.Nulls;
import io.lowkiq.PayloadCodec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonNaming;
import tools.jackson.databind.annotation.JsonPOJOBuilder;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.util.StdConverter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/** What a mapper reads, a run reads: with each annotation of Jackson that changes it. */
class PayloadAnnotationsTests {

	private final PayloadCodec codec = new JacksonPayloadCodec();

	record Point(int x, int y) {
	}

	record Aliased(@JsonAlias("b") @JsonProperty("a") int value) {
	}

	@JsonAutoDetect(fieldVisibility = Visibility.ANY, getterVisibility = Visibility.NONE)
	record Detected(int value) {
	}

	record Created(int value) {

		@JsonCreator(mode = JsonCreator.Mode.DELEGATING)
		static Created of(int value) {
			return new Created(value);
		}

		@Override
		@JsonValue
		public int value() {
			return this.value;
		}

	}

	enum Color {

		@JsonEnumDefaultValue
		RED, @JsonProperty("g")
		GREEN

	}

	record Formatted(@JsonFormat(shape = JsonFormat.Shape.STRING) int value, Color color) {
	}

	@JsonFormat(shape = JsonFormat.Shape.ARRAY)
	record AsArray(int x, Point point) {
	}

	@JsonInclude(JsonInclude.Include.NON_NULL)
	record Included(@Nullable String text, @JsonSetter(nulls = Nulls.AS_EMPTY) List<String> list) {
	}

	record Key(@JsonKey String name) {

		@JsonCreator
		Key {
		}

	}

	record Keyed(Map<Key, Integer> values) {
	}

	record Raw(@JsonRawValue String json) {

		@JsonCreator
		static Raw of(@JsonProperty("json") JsonNode json) {
			return new Raw(json.toString());
		}

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
	@JsonSubTypes(@JsonSubTypes.Type(Circle.class))
	sealed interface Shape {

	}

	@JsonTypeName("circle")
	record Circle(int radius) implements Shape {
	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.DEDUCTION)
	@JsonSubTypes({ @JsonSubTypes.Type(Left.class), @JsonSubTypes.Type(Right.class) })
	sealed interface Deduced {

	}

	record Left(int left) implements Deduced {
	}

	record Right(Shape right) implements Deduced {
	}

	record Unwrapped(@JsonUnwrapped(prefix = "p-") Point point) {
	}

	@JsonNaming(SnakeCaseStrategy.class)
	record Named(int longName) {
	}

	static final class Bean {

		@JsonIgnore
		private final Map<String, Object> others = new java.util.TreeMap<>();

		@JsonAnyGetter
		Map<String, Object> others() {
			return this.others;
		}

		@JsonAnySetter
		void other(String name, Object value) {
			this.others.put(name, value);
		}

		@JsonGetter
		int size() {
			return this.others.size();
		}

		@Override
		public boolean equals(Object other) {
			return other instanceof Bean bean && bean.others.toString().contains("k=v");
		}

		@Override
		public int hashCode() {
			return 1;
		}

	}

	@JsonDeserialize(builder = Built.Builder.class)
	record Built(int value) {

		@JsonPOJOBuilder(withPrefix = "")
		static final class Builder {

			private int value;

			@JsonProperty
			Builder value(int given) {
				this.value = given;
				return this;
			}

			Built build() {
				return new Built(this.value);
			}

		}

	}

	@JsonSerialize(converter = ToText.class)
	@JsonDeserialize(converter = FromText.class)
	record Converted(int value) {
	}

	static final class ToText extends StdConverter<Converted, String> {

		@Override
		public String convert(Converted value) {
			return "v" + value.value();
		}

	}

	static final class FromText extends StdConverter<String, Converted> {

		@Override
		public Converted convert(String text) {
			return new Converted(Integer.parseInt(text.substring(1)));
		}

	}

	@JsonSerialize(using = PointWriter.class)
	@JsonDeserialize(using = ByTree.class)
	record OfTree(Point point) {
	}

	@JsonSerialize(using = PointWriter.class)
	@JsonDeserialize(using = ByValue.class)
	record OfValue(Point point) {
	}

	@JsonSerialize(using = PointWriter.class)
	@JsonDeserialize(using = ByTreeToValue.class)
	record OfTreeValue(Point point) {
	}

	static final class PointWriter extends ValueSerializer<Record> {

		@Override
		public void serialize(Record value, JsonGenerator generator, SerializationContext context) {
			generator.writePOJO(new Point(1, 2));
		}

	}

	static final class ByTree extends ValueDeserializer<OfTree> {

		@Override
		public OfTree deserialize(JsonParser parser, DeserializationContext context) {
			JsonNode tree = parser.readValueAsTree();
			return new OfTree(new Point(tree.get("x").intValue(), tree.get("y").intValue()));
		}

	}

	static final class ByValue extends ValueDeserializer<OfValue> {

		@Override
		public OfValue deserialize(JsonParser parser, DeserializationContext context) {
			return new OfValue(parser.readValueAs(Point.class));
		}

	}

	static final class ByTreeToValue extends ValueDeserializer<OfTreeValue> {

		@Override
		public OfTreeValue deserialize(JsonParser parser, DeserializationContext context) {
			return new OfTreeValue(context.readTreeAsValue(context.readTree(parser), Point.class));
		}

	}

	static Stream<Object> whatAMapperReadsARunReads() {
		Bean bean = new Bean();
		bean.other("k", "v");
		Point point = new Point(1, 2);
		return Stream.of(point, new Aliased(1), new Detected(2), new Created(3), new Formatted(4, Color.GREEN),
				new AsArray(5, point), new Included(null, List.of()), new Keyed(Map.of(new Key("a"), 1)),
				new Raw("{\"a\":1}"), new Circle(6), new Left(7), new Right(new Circle(8)), new Unwrapped(point),
				new Named(9), bean, new Built(10), new Converted(11), new OfTree(point), new OfValue(point),
				new OfTreeValue(point));
	}

	@ParameterizedTest
	@MethodSource
	void whatAMapperReadsARunReads(Object payload) {
		Class<?> type = payload.getClass();
		assertThatCode(() -> this.codec.check(type)).doesNotThrowAnyException();
		assertThat(this.codec.decode(this.codec.encode(payload, type), type)).isEqualTo(payload);
	}

}
