-- The calls of outboxes, in a hash: name of the outbox → number, token and time of its last call. Whoever holds the lock of an
-- outbox gives all its calls one number, which grows from holder to holder, and one random token. They are written in the step
-- that enqueues, so whatever Redis forgets, it forgets a call and its number together.
local CALLS = assert(KEYS[SHARD_KEYS + 1], 'a key of calls expected')

-- How long the last call of an outbox is remembered at least, in milliseconds: longer than it keeps rows.
local REMEMBERED_FOR = 8 * 24 * 60 * 60 * 1000

local function number(text)
	return (assert(tonumber(text), 'not a number'))
end

-- The number, the token and the time of the last call; 0 if there was none.
local function lastCallOf(outbox)
	local call, token, time = string.match(redis.call('HGET', CALLS, outbox) or '', '^(%d+) (%d+) (%d+)$')
	return tonumber(call or nil) or 0, tonumber(token or nil) or 0, tonumber(time or nil) or 0
end

-- The answer to the call that the arguments name, if it enqueues nothing; else nil.
local function answerWithoutEnqueue(payloads, now)
	local call, token, known, knownToken = number(ARGV[6]), number(ARGV[7]), number(ARGV[8] or 0), number(ARGV[9] or 0)
	local lastCall, lastToken = lastCallOf(ARGV[5])
	local refusal = (lastCall < known or lastCall == known and lastToken ~= knownToken) and -3
			or (call < lastCall or call == lastCall and token ~= lastToken) and payloads > 0 and -4
	return (refusal or payloads == 0) and { refusal or 0, now, lastCall, lastToken } or nil
end

-- Notes the call. The first one of an outbox drops some that called last long ago.
local function noteCall(now)
	local noted = string.format('%d %d %d', number(ARGV[6]), number(ARGV[7]), now)
	if redis.call('HSET', CALLS, ARGV[5], noted) == 0 then
		return
	end
	for _, other in ipairs(redis.call('HRANDFIELD', CALLS, 10)) do
		local _, _, time = lastCallOf(other)
		if time < now - REMEMBERED_FOR then
			redis.call('HDEL', CALLS, other)
		end
	end
end
