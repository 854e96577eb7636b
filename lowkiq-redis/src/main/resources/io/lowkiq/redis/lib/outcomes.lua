-- The outcomes of busy jobs (rules 4 to 6, I8).
--@include commands
--@include outcome-kinds

-- Reads packed outcomes, each: B kind, I4 length, id; then, for RETURNED, d delay (0 to keep the performAt); for RETRY and
-- UNREADABLE, d delay (infinite to put the job on hold), B 1 if it is a suspect, I4 length, error, I4 length, attempts; for PARTLY_DONE, B 1 if it counts as failed, I4
-- length, error, I4 length, attempts, I4 length, the positions of the payloads to remove, I4 length, the positions of those
-- to bury (I4 each, from 0); for FOLLOW_UP, d number, I4 length, the follow-up.
local function readOutcomes(packed)
	local kinds, ids, details, allDone = {}, {}, {}, true
	local count, position, length = 0, 1, #packed
	while position <= length do
		count = count + 1
		kinds[count], ids[count], position = struct.unpack('>BI4c0', packed, position)
		if kinds[count] ~= DONE then
			assert(kinds[count] <= FOLLOW_UP, 'unknown outcome')
			allDone = false
		end
		if kinds[count] == RETURNED then
			local delay
			delay, position = struct.unpack('>d', packed, position)
			assert(delay >= 0, 'not a delay')
			details[count] = { delay = delay }
		elseif kinds[count] == RETRY or kinds[count] == UNREADABLE then
			local delay, suspect, error, attempts
			delay, suspect, error, attempts, position = struct.unpack('>dBI4c0I4c0', packed, position)
			details[count] = { delay = delay, suspect = suspect == 1, error = error, attempts = attempts ~= '' and attempts or nil }
		elseif kinds[count] == PARTLY_DONE then
			local failed, error, attempts, gone, dead
			failed, error, attempts, gone, dead, position = struct.unpack('>BI4c0I4c0I4c0I4c0', packed, position)
			attempts = attempts ~= '' and attempts or nil
			details[count] = { failed = failed == 1, error = error, attempts = attempts, gone = gone, dead = dead }
		elseif kinds[count] == FOLLOW_UP then
			local number, enqueued
			number, enqueued, position = struct.unpack('>dI4c0', packed, position)
			assert(number == number, 'not a number')
			details[count] = { number = number, enqueued = enqueued }
		end
	end
	return { kinds = kinds, ids = ids, details = details, allDone = allDone }
end

-- Forgets ids that have rested, at most a number of them.
local function forgetRested(most, now)
	local ids = redis.call('ZRANGEBYSCORE', RESTING, '-inf', exact(now), 'LIMIT', '0', exact(most))
	inChunks('ZREM', RESTING, ids)
end

-- Removes jobs that are done. The queued entries of their ids are given to a function. Ids without such an entry rest until
-- their minimum interval has passed.
local function finish(ids, entries, unblock, now)
	local hasMinInterval = meta.policy and meta.policy.minInterval > 0
	local performed = hasMinInterval and fields(BUSY, ids)
	meta.processed = meta.processed + inChunks('HDEL', BUSY, ids)
	local rested = {}
	for i, entry in ipairs(entries) do
		if entry then
			unblock(ids[i], entry, now, true)
		elseif hasMinInterval and performed[i] then
			rested[#rested + 1] = exact(now + meta.policy.minInterval)
			rested[#rested + 1] = ids[i]
		end
	end
	inChunks('ZADD', RESTING, rested)
end
