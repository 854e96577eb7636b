package io.lowkiq.autoconfigure.outbox;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.OutboxCall.Stamp;
import io.lowkiq.store.job.Shard;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SentTableTests {

	@AutoClose
	private final KeepingOutbox outbox = new KeepingOutbox(InMemoryRedis.newStore(InstantSource.system()));

	private final SentTable table = this.outbox.table.sent();

	@Test
	void rowsOfOtherKeyPrefixesAreLeftAlone() {
		this.outbox.send("a=1");
		Shard shard = this.outbox.store.shardOf("orders", "a");
		SentTable other = other();
		assertThat(other.keptShards().shards()).isEmpty();
		assertThat(other.lastCalls(List.of(shard))).isEmpty();
		assertThat(other.ofOtherGenerations("orders", 2)).isEmpty();
		assertThat(other.kept(10).count()).isZero();
		assertThat(other.deleteFirst(List.of(shard), Long.MAX_VALUE, 10)).isEmpty();
		assertThat(other.takeBack(shard, Stamp.NONE, 10).count()).isZero();
		assertThat(other.takeBack(0, Long.MAX_VALUE).count()).isZero();
		assertThat(this.outbox.kept()).containsExactly("a");
	}

	@Test
	void theLockOfAnotherKeyPrefixIsLeftAlone() {
		this.outbox.send("a=1");
		OutboxLock lock = this.outbox.table.lock();
		OutboxLock.State before = lock.state();
		OutboxLock other = new OutboxLock(this.outbox.dataSource, "other");
		other.name();
		other.raise(1_000);
		other().noteResent(3, 7);
		assertThat(lock.state()).isEqualTo(before);
		assertThat(this.table.resent().count()).isZero();
	}

	@Test
	void shardsAreLookedUpHoweverManyThereAre() {
		List<Shard> shards = IntStream.range(0, 120).mapToObj((i) -> new Shard("orders", 1, i)).toList();
		for (Shard shard : shards) {
			keep(shard, 7 + shard.index(), 5);
			keep(shard, 3, 5);
		}
		assertThat(this.table.lastCalls(shards)).hasSize(120)
			.allSatisfy((shard, number) -> assertThat(number).isEqualTo(new Stamp(7 + shard.index(), 0)));
	}

	@Test
	void eachRowHasItsShardAndItsCall() {
		this.outbox.enqueue("a=1", "b=1");
		List<Long> rows = this.outbox.jdbc.queryForList("select seq from lowkiq_outbox order by seq", Long.class);
		this.table.keep("lowkiq_outbox",
				Map.of(rows.get(0), new Shard("orders", 1, 0), rows.get(1), new Shard("orders", 1, 1)),
				new Stamp(9, 7));
		assertThat(this.outbox.jdbc.queryForList(
				"select job_id || shard || '=' || call_number || '/' || call_token from lowkiq_outbox_sent",
				String.class))
			.containsExactlyInAnyOrder("a1:0=9/7", "b1:1=9/7");
	}

	@Test
	void rowsAreTakenBackFromATimeToTheTimeAfterIt() {
		Shard shard = new Shard("orders", 1, 0);
		keep(shard, 1, 99);
		keep(shard, 2, 100);
		keep(shard, 3, 199);
		keep(shard, 4, 200);
		OutboxSql.Rows back = this.table.takeBack(100, 200);
		assertThat(back).isEqualTo(new OutboxSql.Rows(2, 100));
		assertThat(this.outbox.jdbc.queryForList("select sent_at from lowkiq_outbox_sent order by sent_at", Long.class))
			.containsExactly(99L, 200L);
		assertThat(this.outbox.unsent()).isEqualTo(2);
	}

	@Test
	void theLatestForgottenCallsAreTakenBackFirst() {
		Shard shard = new Shard("orders", 1, 0);
		for (long call = 1; call <= 5; call++) {
			keep(shard, call, 100);
		}
		assertThat(this.table.takeBack(shard, new Stamp(1, 0), 2).count()).isEqualTo(2);
		assertThat(this.table.lastCalls(List.of(shard))).containsEntry(shard, new Stamp(3, 0));
		assertThat(this.table.takeBack(shard, new Stamp(3, 0), 2).count()).isZero();
		assertThat(this.table.takeBack(shard, new Stamp(3, 1), 2).count()).isOne();
	}

	@Test
	void theShardsOfOtherGenerationsAreThoseOfOneQueue() {
		this.outbox.flushAll();
		keep(new Shard("orders", 2, 0), 1, 100);
		keep(new Shard("orders", 2, 3), 1, 100);
		keep(new Shard("mails", 1, 0), 1, 100);
		assertThat(this.table.ofOtherGenerations("orders", 2)).isEmpty();
		keep(new Shard("orders", 21, 0), 1, 100);
		assertThat(this.table.ofOtherGenerations("orders", 2)).containsExactly(new Shard("orders", 21, 0));
		assertThat(this.table.ofOtherGenerations("orders", 21)).hasSize(2);
	}

	@Test
	void keptRowsAreCountedUpToALimit() {
		assertThat(this.table.kept(3)).isEqualTo(new OutboxSql.Rows(0, Long.MAX_VALUE));
		this.outbox.flushAll();
		for (long call = 1; call <= 4; call++) {
			keep(new Shard("orders", 1, (int) call % 2), call, 100 - call);
		}
		assertThat(this.table.kept(10)).isEqualTo(new OutboxSql.Rows(4, 98));
		assertThat(this.table.kept(3).count()).isEqualTo(3);
	}

	@Test
	void howManyRowsWereSentAgainAddsUp() {
		this.outbox.flushAll();
		this.table.noteResent(3, 7);
		this.table.noteResent(2, 9);
		assertThat(this.table.resent()).isEqualTo(new OutboxSql.Rows(5, 9));
	}

	private SentTable other() {
		return new OutboxTable(this.outbox.dataSource, "other", InstantSource.system()).sent();
	}

	private void keep(Shard shard, long call, long sentAt) {
		this.outbox.jdbc.update(
				"""
						insert into lowkiq_outbox_sent (prefix, queue, shard, call_number, seq, job_id, payload, delay, created_at,
							sent_at)
						values ('lowkiq', ?, ?, ?, ?, 'a', x'00', 0, 0, ?)""",
				shard.queue(), shard.generation() + ":" + shard.index(), call, call, sentAt);
	}

}
