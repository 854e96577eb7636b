-- The dead jobs: 'morgue' holds id -> (d time, B flags (1: there is an error, 2: the producers are traced, 4: the failed
-- attempts are kept), the producers as in lib/producers.lua, I4 length and the attempts, error), 'morgue-times' id -> time,
-- and the sorted set d:<id> the payloads. Time, error, producers and attempts are those of the last burial.
--@include commands

-- The number of payloads that this script has buried.
local buried = 0

-- Whether the larger score of equal payloads is kept.
local function keepsLarger()
	return meta.policy and meta.policy.equalLatest
end

-- Adds payloads to a sorted set; an equal payload keeps the smaller score (rule 1), or the larger one by the owner's policy.
local function addPayloads(key, payloads, scores)
	local arguments = {}
	for i, payload in ipairs(payloads) do
		arguments[2 * i - 1], arguments[2 * i] = exact(scores[i]), payload
	end
	for from = 1, #arguments, CHUNK do
		redis.call('ZADD', key, keepsLarger() and 'GT' or 'LT', unpack(arguments, from, math.min(from + CHUNK - 1, #arguments)))
	end
end

-- Sets up to this size are united by their members.
local MAX_UNITED = 1000

-- Unites two sorted sets in the first one. The time grows with the smaller of them, unless both are large.
local function unite(to, from)
	local size, other = redis.call('ZCARD', to), redis.call('ZCARD', from)
	if math.min(size, other) > MAX_UNITED then
		redis.call('ZUNIONSTORE', to, 2, to, from, 'AGGREGATE', keepsLarger() and 'MAX' or 'MIN')
		redis.call('UNLINK', from)
		return
	end
	local large, small = to, from
	if size < other then
		large, small = from, to
	end
	local members, payloads, scores = redis.call('ZRANGE', small, '0', '-1', 'WITHSCORES'), {}, {}
	for i = 1, #members, 2 do
		payloads[#payloads + 1], scores[#scores + 1] = members[i], tonumber(members[i + 1])
	end
	addPayloads(large, payloads, scores)
	redis.call('UNLINK', small)
	if large == from then
		redis.call('RENAME', from, to)
	end
end

-- Raises an error if a key has an unexpected type. Called before the first write, because a script that fails half-way is
-- not rolled back.
local function checkTypes(ids)
	redis.call('HLEN', JOBS)
	redis.call('ZCARD', RETRIES)
	redis.call('ZCARD', DELAYED)
	redis.call('ZCARD', SUSPECTS)
	redis.call('ZCARD', RESTING)
	redis.call('HLEN', VOID)
	redis.call('HLEN', MORGUE)
	redis.call('ZCARD', MORGUE_TIMES)
	for _, id in ipairs(ids) do
		redis.call('ZCARD', payloadsOf(id))
		redis.call('ZCARD', deadPayloadsOf(id))
	end
end

-- Records that an id is dead. Error, attempts and producers are those of the cause; nil where there are none.
local function recordBurial(id, cause, now)
	local producers, attempts = cause.producers, cause.error and cause.attempts
	local flags = (cause.error and 1 or 0) + (producers and 2 or 0) + (attempts and 4 or 0)
	redis.call('HSET', MORGUE, id, struct.pack('>dB', now, flags) .. (producers and writeProducers(producers) or '')
			.. (attempts and struct.pack('>I4', #attempts) .. attempts or '') .. (cause.error or ''))
	redis.call('ZADD', MORGUE_TIMES, exact(now), id)
end

-- Buries payloads, united with the dead payloads of the id.
local function bury(id, payloads, scores, cause, now)
	addPayloads(deadPayloadsOf(id), payloads, scores)
	recordBurial(id, cause, now)
	buried = buried + #payloads
end

-- Moves the queued payloads of an id to its dead ones.
local function buryPayloadSet(id)
	local from, to = payloadsOf(id), deadPayloadsOf(id)
	if redis.call('EXISTS', to) == 1 then
		unite(to, from)
	elseif redis.call('EXISTS', from) == 1 then
		redis.call('RENAME', from, to)
	end
end

-- Buries an entry that can't be read, as it is (I8).
local function buryUnreadable(id, entry, now)
	bury(id, { entry }, { 0 }, { error = 'Unreadable data in Redis: an entry of ' .. #entry .. ' bytes' }, now)
end

-- Deletes a queued job, which may be unreadable.
local function deleteQueued(id)
	redis.call('ZREM', DELAYED, id)
	redis.call('ZREM', SUSPECTS, id)
	redis.call('ZREM', RETRIES, id)
	redis.call('HDEL', JOBS, id)
	redis.call('UNLINK', payloadsOf(id))
end

-- Buries the unreadable entry of a queued job, with all payloads that may belong to it.
local function buryUnreadableQueued(id, entry, now)
	buryPayloadSet(id)
	buryUnreadable(id, entry, now)
	deleteQueued(id)
end

-- Forgets the dead job of an id. Returns 1 if there was one, else 0.
local function forgetDead(id)
	redis.call('ZREM', MORGUE_TIMES, id)
	redis.call('UNLINK', deadPayloadsOf(id))
	return redis.call('HDEL', MORGUE, id)
end
