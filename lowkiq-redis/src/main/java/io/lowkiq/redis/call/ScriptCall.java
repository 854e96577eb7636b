package io.lowkiq.redis.call;

import java.nio.ByteBuffer;
import java.util.List;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.async.BaseRedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lowkiq.StoreException;
import io.lowkiq.StoreUnreachableException;
import io.lowkiq.redis.wire.Utf8;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A call of a script. Redis executes some calls at most once.
 * <p>
 * When a connection breaks, Lettuce sends what was not answered again on the next one,
 * which may be much later. An enqueue that was applied before would then bring back a
 * payload after a newer one was performed. Lettuce's replay filter can't prevent that: it
 * looks at commands that have not been sent yet. So the arguments notice that they are
 * sent a second time, and are replaced by some that Redis refuses. A redirection within a
 * cluster, which Redis has answered, doesn't count.
 */
final class ScriptCall {

	private final LuaScript script;

	private final byte[][] keys;

	private final byte[][] arguments;

	private final boolean once;

	/**
	 * Whether Redis may have it. Written by the threads of the connection, read by all.
	 */
	private volatile boolean sent;

	/** Written by the threads of the connection, read by all. */
	private volatile boolean repeated;

	ScriptCall(LuaScript script, byte[][] keys, byte[][] arguments, boolean once) {
		this.script = script;
		this.keys = keys;
		this.arguments = arguments;
		this.once = once;
	}

	LuaScript script() {
		return this.script;
	}

	byte[] firstKey() {
		return this.keys[0];
	}

	RedisFuture<List<@Nullable Object>> evalsha(BaseRedisAsyncCommands<byte[], byte[]> commands) {
		return call(commands, CommandType.EVALSHA, Utf8.bytes(this.script.sha()));
	}

	RedisFuture<List<@Nullable Object>> eval(BaseRedisAsyncCommands<byte[], byte[]> commands) {
		return call(commands, CommandType.EVAL, this.script.text());
	}

	@SuppressWarnings({ "unchecked", "rawtypes" })
	private RedisFuture<List<@Nullable Object>> call(BaseRedisAsyncCommands<byte[], byte[]> commands, CommandType type,
			byte[] named) {
		Arguments all = new Arguments();
		all.add(named).add(this.keys.length).addKeys(this.keys).addValues(this.arguments);
		return (RedisFuture) commands.dispatch(type, new Answer(), all);
	}

	StoreException explain(Throwable problem) {
		StoreException known = RedisProblem.of(this.script.task(), problem);
		boolean isLost = this.repeated || (this.once && this.sent && known instanceof StoreUnreachableException);
		return isLost ? RedisProblem.unconfirmed(known) : known;
	}

	private final class Arguments extends CommandArgs<byte[], byte[]> {

		Arguments() {
			super(ByteArrayCodec.INSTANCE);
		}

		@Override
		public void encode(ByteBuf buffer) {
			if (ScriptCall.this.once && (ScriptCall.this.sent || ScriptCall.this.repeated)) {
				ScriptCall.this.repeated = true;
				// As many, but "" is not a number of keys
				CommandArgs<byte[], byte[]> refused = new CommandArgs<>(this.codec);
				for (int i = 0; i < count(); i++) {
					refused.add("");
				}
				refused.encode(buffer);
				return;
			}
			ScriptCall.this.sent = true;
			super.encode(buffer);
		}

	}

	/** The reply of Redis. After an error, nothing was executed. */
	private final class Answer extends NestedMultiOutput<byte[], byte[]> {

		Answer() {
			super(ByteArrayCodec.INSTANCE);
		}

		@Override
		public void setError(ByteBuffer error) {
			ScriptCall.this.sent = false;
			super.setError(error);
		}

	}

}
