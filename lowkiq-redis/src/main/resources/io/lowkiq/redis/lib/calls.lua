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

-- Notes a call. The first one of an outbox drops some that called last long ago.
local function note(outbox, call, token, now)
	if redis.call('HSET', CALLS, outbox, exact(call) .. ' ' .. exact(token) .. ' ' .. exact(now)) == 0 then
		return
	end
	for _, other in ipairs(redis.call('HRANDFIELD', CALLS, 10)) do
		local _, _, time = lastCallOf(other)
		if time < now - REMEMBERED_FOR then
			redis.call('HDEL', CALLS, other)
		end
	end
end
