-- The calls of outboxes, in a hash: name of the outbox → d number, d token and d time of its last call. Whoever holds the
-- lock of an outbox gives all its calls one number, which grows from holder to holder, and one random token. They are
-- written in the step that enqueues, so whatever Redis forgets, it forgets a call and its number together.
local CALLS = assert(KEYS[SHARD_KEYS + 1], 'a key of calls expected')

-- How long the last call of an outbox is remembered at least, in milliseconds: longer than it keeps rows.
local REMEMBERED_FOR = 8 * 24 * 60 * 60 * 1000

local CALL, TOKEN = assert(tonumber(ARGV[6]), 'not a number'), assert(tonumber(ARGV[7]), 'not a token')

-- The number, the token and the time of the last call; 0 if there was none.
local function lastCallOf(outbox)
	local packed = redis.call('HGET', CALLS, outbox)
	if not packed or #packed ~= 24 then
		return 0, 0, 0
	end
	return struct.unpack('>ddd', packed)
end

-- The answer to the call that the arguments name, if it enqueues nothing; else nil.
local function answerWithoutEnqueue(payloads, now)
	local known, lastCall, lastToken = tonumber(ARGV[8] or 0), lastCallOf(ARGV[5])
	local refusal = (lastCall < known or lastCall == known and lastToken ~= tonumber(ARGV[9] or 0)) and -3
			or (CALL < lastCall or CALL == lastCall and TOKEN ~= lastToken) and payloads > 0 and -4
	return (refusal or payloads == 0) and { refusal or 0, now, lastCall, lastToken } or nil
end

-- Notes the call. The first one of an outbox drops some that called last long ago.
local function noteCall(now)
	if redis.call('HSET', CALLS, ARGV[5], struct.pack('>ddd', CALL, TOKEN, now)) == 0 then
		return
	end
	for _, other in ipairs(redis.call('HRANDFIELD', CALLS, 10)) do
		local _, _, time = lastCallOf(other)
		if time < now - REMEMBERED_FOR then
			redis.call('HDEL', CALLS, other)
		end
	end
end
