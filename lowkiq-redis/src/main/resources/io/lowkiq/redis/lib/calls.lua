-- The calls of outboxes that keep what they have sent, in a hash: name of the outbox → number of its last call. A number is
-- written in the step that enqueues, so whatever Redis forgets, it forgets a call and its number together. Numbers grow.
local CALLS = assert(KEYS[SHARD_KEYS + 1], 'a key of calls expected')

local function number(text)
	return (assert(tonumber(text), 'not a number'))
end

local function lastCallOf(outbox)
	return tonumber(redis.call('HGET', CALLS, outbox) or nil) or 0
end

local function note(outbox, call)
	redis.call('HSET', CALLS, outbox, exact(call))
end
