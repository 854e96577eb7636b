-- Making jobs due that are in 'delayed' or 'suspects'.
--@include commands
--@include owner

-- The ids of a list that are in a sorted set with a performAt that fits.
local function idsIn(set, ids, fits)
	local found = {}
	for _, id in ipairs(ids) do
		local performAt = tonumber(redis.call('ZSCORE', set, id) or nil)
		if performAt and fits(performAt) then
			found[#found + 1] = id
		end
	end
	return found
end

-- Makes jobs of a sorted set due now; as new jobs, if they begin again. An id without an entry leaves the set. An entry
-- that can't be read is found by the next fetch. Returns how many jobs are due now.
local function makeDue(set, ids, entries, now, again)
	local changed = 0
	writeThoughFull()
	for i, id in ipairs(ids) do
		local entry = entries[i]
		local job = entry and readQueued(entry)
		if job then
			job.performAt, job.retry, job.gathers, job.notBefore = now, again and -1 or job.retry, nil, nil
			redis.call('HSET', JOBS, id, writeEntry(job, string.sub(entry, job.body)))
		end
		if entry then
			redis.call('ZADD', set, exact(now), id)
			changed = changed + 1
		else
			redis.call('ZREM', set, id)
		end
	end
	return changed
end
