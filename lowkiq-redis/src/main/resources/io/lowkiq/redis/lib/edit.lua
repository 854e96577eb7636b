-- Replacing the first payload of a job.
local EDITED, CHANGED, QUEUED_ONLY, BUSY_ONLY, DEAD_ONLY, NO_JOB = 0, 1, 2, 3, 4, 5

-- Where a job is that is not where it was expected.
local function elsewhere(id)
	return redis.call('HGET', JOBS, id) and QUEUED_ONLY or redis.call('HGET', BUSY, id) and BUSY_ONLY
			or redis.call('HGET', MORGUE, id) and DEAD_ONLY or NO_JOB
end

-- Replaces the first payload of a sorted set, if it is the one that is known; the other one gets its score.
local function replaceFirst(key, known, replacement)
	local first = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
	if first[1] ~= known then
		return CHANGED
	end
	redis.call('ZREM', key, known)
	addPayloads(key, { replacement }, { tonumber(first[2]) })
	return EDITED
end
