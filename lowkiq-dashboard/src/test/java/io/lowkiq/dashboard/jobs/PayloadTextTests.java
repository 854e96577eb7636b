package io.lowkiq.dashboard.jobs;

import java.nio.charset.StandardCharsets;
import java.util.List;

import io.lowkiq.dashboard.PayloadMasker;
import io.lowkiq.dashboard.PayloadVisibility;
import io.lowkiq.dashboard.jobs.PayloadText.Kind;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Payload;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of {@link PayloadText} and {@link PayloadMasker}. */
class PayloadTextTests {

	@Test
	void formatsJsonAndKeepsItsNumbers() {
		PayloadText text = shown("{\"a\":12345678901234567890.10,\"b\":[1,{}]}");
		assertThat(text.kind()).isEqualTo(Kind.JSON);
		assertThat(text.text()).isEqualTo("""
				{
				  "a": 12345678901234567890.10,
				  "b": [
				    1,
				    { }
				  ]
				}""");
	}

	@Test
	void formattingChangesBlanksOnly() {
		String stored = "{\"a\":-0.0,\"a\":1e3,\"b\":\"\\ud800 \\u00e9 \\\"{,}:[] \",\"c\":[],\"d\":{},\"e\":[[1.10],{\"f\":null}]}";
		PayloadText text = shown(stored);
		assertThat(text.text()).contains("\"a\": -0.0,\n  \"a\": 1e3", "\\ud800 \\u00e9 \\\"{,}:[] \"", "\"c\": [ ]");
		assertThat(renderer(PayloadVisibility.SHOWN).compact(String.valueOf(text.text()))).isEqualTo(stored);
	}

	@Test
	void showsWhatIsNotJsonAsItIs() {
		assertThat(shown("<b>{").text()).isEqualTo("<b>{");
		assertThat(shown("{} {}").kind()).isEqualTo(Kind.TEXT);
		assertThat(shown("[".repeat(100_000)).kind()).isEqualTo(Kind.TEXT);
	}

	@Test
	void saysThatBytesAreNotUtf8() {
		PayloadText text = renderer(PayloadVisibility.SHOWN).render("orders", "42",
				new Payload(new byte[] { 'a', (byte) 0xff, 'b' }, 1), 100);
		assertThat(text.kind()).isEqualTo(Kind.BROKEN);
		assertThat(text.text()).isEqualTo("a\uFFFDb");
	}

	@Test
	void cutsALongPayloadBetweenCharacters() {
		PayloadText text = renderer(PayloadVisibility.SHOWN).render("orders", "42",
				new Payload("aaa😀😀".getBytes(StandardCharsets.UTF_8), 1), 4);
		assertThat(text.text()).isEqualTo("aaa");
		assertThat(text.cut()).isTrue();
		assertThat(text.bytes()).isEqualTo(11);
	}

	@Test
	void masksAllValuesAndKeepsTheNames() {
		PayloadText text = renderer(PayloadVisibility.MASKED).render("orders", "42", new Payload(
				"{\"name\":\"Anna\",\"n\":[1,true,null],\"o\":{\"x\":2}}".getBytes(StandardCharsets.UTF_8), 1), 1_000);
		assertThat(text.kind()).isEqualTo(Kind.MASKED);
		assertThat(text.text()).contains("\"name\": \"•••\"", "\"x\": \"•••\"")
			.doesNotContain("Anna", "1", "2", "true");
	}

	@Test
	void masksWhatIsNotJsonAsAWhole() {
		assertThat(PayloadMasker.values().mask("orders", "42", "secret")).isEqualTo("•••");
	}

	@Test
	void aMaskerThatThrowsShowsNothing() {
		PayloadText text = new PayloadText.Renderer(PayloadVisibility.MASKED, (queue, id, payload) -> {
			throw new IllegalStateException(payload);
		}).render("orders", "42", new Payload("secret".getBytes(StandardCharsets.UTF_8), 1), 100);
		assertThat(text.text()).isEqualTo("•••");
	}

	@Test
	void hiddenPayloadsTellTheirSizeOnly() {
		PayloadText text = renderer(PayloadVisibility.HIDDEN).render("orders", "42",
				new Payload("secret".getBytes(StandardCharsets.UTF_8), 7), 100);
		assertThat(text).isEqualTo(new PayloadText(7, 6, Kind.HIDDEN, null, false, List.of()));
	}

	@Test
	void aPayloadIsShownWithTheStepsThatFollow() {
		FollowUp last = new FollowUp("prints", NewPayload.of("p", new byte[] { '3' }));
		FollowUp next = new FollowUp("mails", NewPayload.of("m", new byte[] { '2' }).followedBy(last.toBytes()));
		PayloadText text = renderer(PayloadVisibility.SHOWN).render("orders", "42",
				new Payload(new byte[] { '1' }, 1, next.toBytes()), 100);
		assertThat(text.text()).isEqualTo("1");
		assertThat(text.bytes()).isEqualTo(1);
		assertThat(text.then()).containsExactly(new PayloadText.Step("mails", "m"),
				new PayloadText.Step("prints", "p"));
	}

	private static PayloadText shown(String payload) {
		return renderer(PayloadVisibility.SHOWN).render("orders", "42",
				new Payload(payload.getBytes(StandardCharsets.UTF_8), 1), 1_000_000);
	}

	private static PayloadText.Renderer renderer(PayloadVisibility visibility) {
		return new PayloadText.Renderer(visibility, PayloadMasker.values());
	}

}
