package io.lowkiq.redis.inmemory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.luaj.vm2.LuaString;

final class SortedSet implements RedisValue {

	private final List<Scored> ordered = new ArrayList<>();

	private final Map<LuaString, Scored> byMember = new HashMap<>();

	record Scored(LuaString member, double score) implements Comparable<Scored> {

		/** By score, then by bytes. */
		@Override
		public int compareTo(Scored other) {
			if (this.score != other.score) {
				return (this.score < other.score) ? -1 : 1;
			}
			LuaString a = this.member;
			LuaString b = other.member;
			return Arrays.compareUnsigned(a.m_bytes, a.m_offset, a.m_offset + a.m_length, b.m_bytes, b.m_offset,
					b.m_offset + b.m_length);
		}

	}

	/** An end of a range of scores. */
	record Limit(double score, boolean exclusive) {
	}

	int size() {
		return this.ordered.size();
	}

	@Override
	public boolean isEmpty() {
		return this.ordered.isEmpty();
	}

	@Override
	public RedisValue copy() {
		SortedSet copy = new SortedSet();
		copy.ordered.addAll(this.ordered);
		copy.byMember.putAll(this.byMember);
		return copy;
	}

	@Nullable Double score(LuaString member) {
		Scored found = this.byMember.get(member);
		return (found != null) ? found.score() : null;
	}

	/** Adds a member, or gives it another score. */
	void put(LuaString member, double score) {
		Scored former = this.byMember.get(member);
		if (former != null && former.score() == score) {
			return;
		}
		remove(member);
		// No negative zero: small sets of Redis 7 have none
		Scored added = new Scored(member, score + 0.0);
		this.byMember.put(member, added);
		this.ordered.add(-Collections.binarySearch(this.ordered, added) - 1, added);
	}

	boolean remove(LuaString member) {
		Scored former = this.byMember.remove(member);
		if (former != null) {
			this.ordered.remove(Collections.binarySearch(this.ordered, former));
		}
		return former != null;
	}

	/** The members of a range of ranks, from 0 on; a view. */
	List<Scored> ranks(int from, int to) {
		return this.ordered.subList(from, Math.max(from, to));
	}

	/** The members of a range of scores; a view. */
	List<Scored> scores(Limit min, Limit max) {
		return ranks(countBelow(min.score(), min.exclusive()), countBelow(max.score(), !max.exclusive()));
	}

	/** How many members have a smaller score, or the same if so asked. */
	private int countBelow(double score, boolean withEqual) {
		int low = 0;
		int high = this.ordered.size();
		while (low < high) {
			int middle = (low + high) >>> 1;
			double found = this.ordered.get(middle).score();
			if (found < score || (withEqual && found == score)) {
				low = middle + 1;
			}
			else {
				high = middle;
			}
		}
		return low;
	}

	int removeAll(List<Scored> view) {
		int count = view.size();
		view.forEach((member) -> this.byMember.remove(member.member()));
		view.clear();
		return count;
	}

}
