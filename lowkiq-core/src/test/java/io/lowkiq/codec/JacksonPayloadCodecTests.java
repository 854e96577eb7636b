package io.lowkiq.codec;

import java.io.ByteArrayInputStream;
import java.io.StringReader;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIdentityInfo;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.ObjectIdGenerators;
import io.lowkiq.PayloadException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.DefaultTyping;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

import org.springframework.core.ResolvableType;

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
		byte[] bytes = this.codec.encode(new Order("z", 1, one), Order.class);
		assertThat(bytes).isEqualTo(this.codec.encode(new Order("z", 1, other), Order.class));
		assertThat(text(bytes)).isEqualTo("{\"apple\":1,\"lines\":{\"a\":1,\"b\":2},\"zebra\":\"z\"}");
	}

	@Test
	void aPayloadSurvivesTheWayThereAndBack() {
		Order order = new Order("ü😀", -5, Map.of("x", 1));
		assertThat(this.codec.decode(this.codec.encode(order, Order.class), Order.class)).isEqualTo(order);
	}

	@Test
	void genericTypesAreRead() {
		Type listOfOrders = generic(List.class, Order.class);
		List<Order> orders = List.of(new Order("a", 1, Map.of()));
		assertThat(this.codec.decode(this.codec.encode(orders, listOfOrders), listOfOrders)).isEqualTo(orders);
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
		assertThatExceptionOfType(PayloadException.class)
			.isThrownBy(() -> this.codec.encode(new Unwritable(1), Unwritable.class))
			.withMessageContaining("Unwritable");
	}

	@Test
	void noTypeNameIsEverTurnedIntoAClass() {
		JsonMapper typing = JsonMapper.builder()
			.activateDefaultTyping(BasicPolymorphicTypeValidator.builder().allowIfBaseType(Object.class).build(),
					DefaultTyping.NON_FINAL)
			.build();
		JacksonPayloadCodec untyped = new JacksonPayloadCodec(typing);
		assertThat(text(untyped.encode(new Any(new Order("a", 1, Map.of())), Any.class))).doesNotContain("Order");
		Any read = (Any) untyped.decode(bytes("{\"value\":[\"java.io.File\",\"/tmp\"]}"), Any.class);
		assertThat(read.value()).isEqualTo(List.of("java.io.File", "/tmp"));
	}

	@Test
	void primitivesThatAreMissingGetTheirDefault() {
		assertThat(this.codec.decode(bytes("{\"zebra\":\"z\"}"), Order.class)).isEqualTo(new Order("z", 0, null));
		assertThat(this.codec.decode(bytes("{\"apple\":null}"), Order.class)).isEqualTo(new Order(null, 0, null));
	}

	@Test
	void elementsOfAListTellTheirSubtypes() {
		Type listOfEvents = generic(List.class, Event.class);
		List<Event> events = List.of(new Created("anna"), new Closed(7));
		byte[] bytes = this.codec.encode(events, listOfEvents);
		assertThat(this.codec.decode(bytes, listOfEvents)).isEqualTo(events);
		assertThat(this.codec.encode(new ArrayList<>(events), listOfEvents)).isEqualTo(bytes);
	}

	@Test
	void whatIsInAGenericRecordTellsItsSubtype() {
		Type envelopeOfEvent = generic(Envelope.class, Event.class);
		Envelope<Event> envelope = new Envelope<>(new Created("anna"));
		assertThat(this.codec.decode(this.codec.encode(envelope, envelopeOfEvent), envelopeOfEvent))
			.isEqualTo(envelope);
	}

	@Test
	void aSubclassIsWrittenWithAllItHas() {
		assertThat(text(this.codec.encode(new Dog("rex", 3), Animal.class))).isEqualTo("{\"age\":3,\"name\":\"rex\"}");
	}

	@Test
	void equalMapsGiveEqualBytesWhateverTheirOrder() {
		Map<String, Integer> descending = new TreeMap<>(Comparator.reverseOrder());
		descending.putAll(Map.of("a", 1, "b", 2, "c", 3));
		assertThat(text(encode(descending))).isEqualTo("{\"a\":1,\"b\":2,\"c\":3}")
			.isEqualTo(text(encode(new HashMap<>(descending))));
	}

	@Test
	void equalMapsGiveEqualBytesWhateverTheirKeys() {
		Map<Object, String> one = new LinkedHashMap<>();
		Map<Object, String> other = new LinkedHashMap<>();
		List<Object> keys = List.of(new Key("b"), new Key("a"), 10, 2, Color.RED, "text");
		keys.forEach((key) -> one.put(key, "of " + key));
		for (int i = keys.size() - 1; i >= 0; i--) {
			other.put(keys.get(i), "of " + keys.get(i));
		}
		assertThat(one).isEqualTo(other);
		assertThat(text(encode(one))).isEqualTo(text(encode(other))).startsWith("{\"10\":\"of 10\",\"2\":");
	}

	@Test
	void keysThatCompareAsEqualAreAllWritten() {
		Map<BigDecimal, String> prices = new HashMap<>();
		prices.put(new BigDecimal("1.0"), "one");
		prices.put(new BigDecimal("1.00"), "another");
		assertThat(text(encode(prices))).isEqualTo("{\"1.0\":\"one\",\"1.00\":\"another\"}");
	}

	@Test
	void equalSetsGiveEqualBytes() {
		Set<String> small = new LinkedHashSet<>(List.of("b", "c", "a"));
		Set<String> large = new HashSet<>(1 << 10);
		large.addAll(small);
		Set<String> descending = new TreeSet<>(Comparator.reverseOrder());
		descending.addAll(small);
		assertThat(text(encode(small))).isEqualTo("[\"a\",\"b\",\"c\"]")
			.isEqualTo(text(encode(large)))
			.isEqualTo(text(encode(descending)));
		assertThat(text(encode(EnumSet.allOf(Color.class)))).isEqualTo("[\"BLUE\",\"RED\"]")
			.isEqualTo(text(encode(new LinkedHashSet<>(List.of(Color.RED, Color.BLUE)))));
	}

	@Test
	void setsInsideOfSetsAndRecordsAreSortedToo() {
		Set<Set<Integer>> one = new LinkedHashSet<>();
		one.add(new LinkedHashSet<>(List.of(2, 1)));
		one.add(new LinkedHashSet<>(List.of(4, 3)));
		Set<Set<Integer>> other = new LinkedHashSet<>();
		other.add(new LinkedHashSet<>(List.of(3, 4)));
		other.add(new LinkedHashSet<>(List.of(1, 2)));
		assertThat(text(encode(new Any(one)))).isEqualTo("{\"value\":[[1,2],[3,4]]}")
			.isEqualTo(text(encode(new Any(other))));
	}

	@Test
	void aSetOfSubtypesIsReadBack() {
		Type setOfEvents = generic(Set.class, Event.class);
		Set<Event> events = new LinkedHashSet<>(
				List.of(new Closed(2), new Created("zoë \"[{,\\"), new Closed(1), new Created("")));
		byte[] bytes = this.codec.encode(events, setOfEvents);
		assertThat(this.codec.decode(bytes, setOfEvents)).isEqualTo(events);
		assertThat(this.codec.encode(Set.copyOf(events), setOfEvents)).isEqualTo(bytes);
	}

	@Test
	void anObjectWithAnIdentityIsWrittenInFullOnce() {
		Node node = new Node();
		node.name = "root";
		node.next = node;
		Node other = new Node();
		other.name = "leaf";
		other.next = node;
		Type setOfNodes = generic(Set.class, Node.class);
		Set<?> read = (Set<?>) this.codec
			.decode(this.codec.encode(new LinkedHashSet<>(List.of(node, other)), setOfNodes), setOfNodes);
		assertThat(read).hasSize(2).extracting((each) -> ((Node) each).next.name).containsOnly("root");
	}

	@Test
	void aLargeSetIsReadBack() {
		Set<String> texts = IntStream.range(0, 20_000)
			.mapToObj((i) -> "text \uD83D\uDE00 " + i)
			.collect(Collectors.toSet());
		Type setOfTexts = generic(Set.class, String.class);
		assertThat(this.codec.decode(this.codec.encode(texts, setOfTexts), setOfTexts)).isEqualTo(texts);
	}

	static Stream<Type> typesThatCanBeRead() {
		return Stream.of(Order.class, String.class, Long.class, Object.class, Event.class, Color.class, Node.class,
				Instant.class, JsonNode.class, byte[].class, Order[].class, Number.class, Tree.class, Picky.class,
				FromText.class, generic(List.class, Event.class), generic(Optional.class, Order.class),
				ResolvableType.forClassWithGenerics(Map.class, String.class, Order.class).getType());
	}

	@ParameterizedTest
	@MethodSource("typesThatCanBeRead")
	void nothingIsSaidAgainstATypeThatCanBeRead(Type type) {
		this.codec.check(type);
	}

	static Stream<Type> typesThatCanNotBeRead() {
		return Stream.of(Shape.class, Figure.class, Inner.class, Shape[].class, generic(List.class, Shape.class),
				generic(Optional.class, Figure.class),
				ResolvableType.forClassWithGenerics(Map.class, String.class, Inner.class).getType());
	}

	@ParameterizedTest
	@MethodSource("typesThatCanNotBeRead")
	void aTypeThatCanNotBeReadIsRefused(Type type) {
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> this.codec.check(type))
			.withMessageContaining("can't be read as " + JacksonPayloadCodecTests.class.getName());
	}

	interface Shape {

	}

	abstract static class Figure {

		public int sides;

	}

	class Inner {

		public int number;

	}

	static class Tree extends ArrayList<Tree> {

		private static final long serialVersionUID = 1L;

	}

	record Picky(String name) {

		Picky {
			if (name == null) {
				throw new IllegalArgumentException("A name is needed");
			}
		}

	}

	abstract static class FromText {

		@JsonCreator
		static FromText of(String text) {
			return new FromText() {
			};
		}

	}

	private byte[] encode(Object payload) {
		return this.codec.encode(payload, payload.getClass());
	}

	private static Type generic(Class<?> raw, Class<?> argument) {
		return ResolvableType.forClassWithGenerics(raw, argument).getType();
	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
	@JsonSubTypes({ @JsonSubTypes.Type(value = Created.class, name = "created"),
			@JsonSubTypes.Type(value = Closed.class, name = "closed") })
	interface Event {

	}

	record Created(String by) implements Event {
	}

	record Closed(int code) implements Event {
	}

	record Envelope<T>(T content) {
	}

	record Key(String name) {

		@Override
		public String toString() {
			return "key " + this.name;
		}

	}

	enum Color {

		RED, BLUE

	}

	static class Animal {

		public final String name;

		Animal(String name) {
			this.name = name;
		}

	}

	static class Dog extends Animal {

		public final int age;

		Dog(String name, int age) {
			super(name);
			this.age = age;
		}

	}

	@JsonIdentityInfo(generator = ObjectIdGenerators.IntSequenceGenerator.class)
	static class Node {

		public String name;

		public Node next;

	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static String text(byte[] bytes) {
		return new String(bytes, StandardCharsets.UTF_8);
	}

	static Stream<Object> withoutContent() {
		List<Object> some = List.of((Supplier<String>) () -> "x", (Runnable) () -> {
		}, (Comparator<String>) String::compareTo, new ByteArrayInputStream(new byte[1]), Stream.of("x"),
				new Thread("x"), new StringReader("x"), new CompletableFuture<>(), new Hidden("x"), new Subclass());
		return some.stream()
			.flatMap((refused) -> Stream.of(refused, new Any(refused), List.of(refused), Map.of("x", refused),
					Optional.of(refused)));
	}

	@ParameterizedTest
	@MethodSource("withoutContent")
	void classesWithoutContentAreRefused(Object refused) {
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> this.codec.encode(refused, Object.class))
			.withMessageContaining("JSON can't keep what a ");
	}

	static class Hidden {

		private final String text;

		Hidden(String text) {
			this.text = text;
		}

		int length() {
			return this.text.length();
		}

	}

	static final class Subclass extends Hidden {

		Subclass() {
			super("x");
		}

	}

	record Ping() {
	}

	enum Choice implements Supplier<String> {

		ONE;

		@Override
		public String get() {
			return "one";
		}

	}

	@Test
	void whatIsEmptyByItselfIsWritten() {
		assertThat(text(this.codec.encode(new Ping(), Ping.class))).isEqualTo("{}");
		assertThat(text(this.codec.encode(new Object(), Object.class))).isEqualTo("{}");
		assertThat(text(this.codec.encode(Choice.ONE, Choice.class))).isEqualTo("\"ONE\"");
	}

	@Test
	void serializersOfTheApplicationAreNotRefused() {
		JacksonPayloadCodec own = new JacksonPayloadCodec(JsonMapper.builder()
			.addModule(new SimpleModule().addSerializer(Hidden.class, new StdSerializer<>(Hidden.class) {
				@Override
				public void serialize(Hidden value, JsonGenerator generator, SerializationContext context) {
					generator.writeNumber(value.length());
				}
			}))
			.build());
		assertThat(text(own.encode(new Hidden("abc"), Object.class))).isEqualTo("3");
	}

	static Stream<Object> times() {
		return Stream
			.of("2027-03-28T02:30:00+01:00[Europe/Berlin]", "2027-10-31T02:30:00+01:00[Europe/Berlin]",
					"2027-10-31T02:30:00+02:00[Europe/Berlin]", "2027-01-01T00:00:00Z", "2027-01-01T00:00:00Z[UTC]",
					"2027-01-01T00:00:00-05:00", "2027-01-01T00:00:00.123456789+05:45[Asia/Kathmandu]")
			.map(ZonedDateTime::parse);
	}

	record At(ZonedDateTime zoned, OffsetDateTime offset) {
	}

	@ParameterizedTest
	@MethodSource("times")
	void timesKeepTheirZone(ZonedDateTime time) {
		At at = new At(time, time.toOffsetDateTime());
		assertThat(this.codec.decode(this.codec.encode(at, At.class), At.class)).isEqualTo(at);
		assertThat(this.codec.decode(this.codec.encode(time, ZonedDateTime.class), ZonedDateTime.class))
			.isEqualTo(time);
	}

	record Mixed(JsonNode tree, Map<String, Object> map, Object any) {
	}

	@ParameterizedTest
	@ValueSource(strings = { "{\"price\":12345678901234567.89,\"tax\":1.10}", "[0.1,1.0,100,1E+30,-0.00001]",
			"{\"deep\":[{\"x\":123456789012345678901234567890.10}]}" })
	void treesAndMapsKeepTheirDigits(String json) {
		Object tree = this.codec.decode(bytes(json), JsonNode.class);
		assertThat(text(this.codec.encode(tree, JsonNode.class))).isEqualTo(json);
		Object map = this.codec.decode(bytes(json), Object.class);
		assertThat(text(this.codec.encode(map, Object.class))).isEqualTo(json);
		String wrapped = "{\"any\":%1$s,\"map\":{\"x\":%1$s},\"tree\":%1$s}".formatted(json);
		Object envelope = this.codec.decode(bytes(wrapped), Mixed.class);
		assertThat(text(this.codec.encode(envelope, Mixed.class))).isEqualTo(wrapped);
	}

	@Test
	void equalTreesGiveEqualBytes() {
		JsonMapper mapper = new JsonMapper();
		JsonNode one = mapper.readTree("{\"x\":1,\"y\":{\"p\":1,\"q\":2}}");
		JsonNode other = mapper.readTree("{\"y\":{\"q\":2,\"p\":1},\"x\":1}");
		assertThat(this.codec.encode(one, JsonNode.class)).isEqualTo(this.codec.encode(other, JsonNode.class));
		assertThat(this.codec.encode(new Any(List.of(one)), Any.class))
			.isEqualTo(this.codec.encode(new Any(List.of(other)), Any.class));
	}

	record LongKey(BigInteger modulus, BigDecimal exact, String text, Map<String, Integer> names) {
	}

	@Test
	void whatIsWrittenIsReadWhateverItsLength() {
		LongKey key = new LongKey(BigInteger.ONE.shiftLeft(40_000), new BigDecimal("0." + "1".repeat(2_000)),
				"x".repeat(1_000_000), Map.of("n".repeat(60_000), 1));
		assertThat(this.codec.decode(this.codec.encode(key, LongKey.class), LongKey.class)).isEqualTo(key);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 400, 499, 500, 501, 502, 600 })
	void whatIsNestedIsReadOrRefused(int depth) {
		Object list = "x";
		Object set = "x";
		for (int i = 0; i < depth; i++) {
			list = List.of(list);
			set = new HashSet<>(Arrays.asList(set, "y"));
		}
		for (Object nested : List.of(list, set)) {
			byte[] bytes;
			try {
				bytes = this.codec.encode(nested, Object.class);
			}
			catch (PayloadException ex) {
				assertThat(depth).isGreaterThan(500);
				continue;
			}
			assertThat(this.codec.decode(bytes, Object.class)).isNotNull();
		}
	}

	record Mail(String to, String subject, String text) {
	}

	record Parcel(@Nullable String street, int weight, @Nullable Map<String, Integer> parts) {
	}

	record Chain(@Nullable Chain to, int weight) {
	}

	@JsonIgnoreProperties(ignoreUnknown = true)
	record Lenient(int weight) {
	}

	@Test
	void payloadOfAnotherTypeIsUnreadableAndNotEmpty() {
		byte[] mail = this.codec.encode(new Mail("me", "hi", "you"), Mail.class);
		for (Class<?> type : List.of(Parcel.class, Bean.class, Lenient.class)) {
			assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> this.codec.decode(mail, type))
				.withMessageContaining("none of its properties [subject, text, to]");
		}
		assertThat(this.codec.decode(bytes("{}"), Parcel.class)).isEqualTo(new Parcel(null, 0, null));
		assertThat(this.codec.decode(bytes("{\"added\":1,\"weight\":2}"), Parcel.class))
			.isEqualTo(new Parcel(null, 2, null));
		assertThat(this.codec.decode(bytes("{\"added\":1,\"weight\":2}"), Lenient.class)).isEqualTo(new Lenient(2));
		assertThat(this.codec.decode(bytes("{}"), Lenient.class)).isEqualTo(new Lenient(0));
		assertThat(this.codec.decode(bytes("{\"to\":{\"added\":1}}"), Chain.class))
			.isEqualTo(new Chain(new Chain(null, 0), 0));
		assertThat(this.codec.decode(mail, JsonNode.class)).isNotNull();
		assertThat(this.codec.decode(mail, Map.class)).isNotNull();
		assertThat(this.codec.decode(mail, Object.class)).isNotNull();
	}

	public static class Bean {

		private int weight;

		public int getWeight() {
			return this.weight;
		}

		public void setWeight(int weight) {
			this.weight = weight;
		}

	}

}
