-- What was due stays due when Redis' clock goes back.

-- Maximum number of jobs that are made due by one call.
local MAX_KEPT_DUE = 1000

-- If the clock has gone back since the owner's last call, makes the jobs due now that were due then. Has to be called before
-- jobs are chosen, and remembers the time of this call. If there are more jobs, the next call goes on with them.
local function keepDue(now)
	local more = false
	for _, set in ipairs(now < meta.clock and { DELAYED, SUSPECTS } or {}) do
		local ids = redis.call('ZRANGEBYSCORE', set, '(' .. exact(now), exact(meta.clock), 'LIMIT', '0', exact(MAX_KEPT_DUE))
		local entries, times = {}, {}
		for i, entry in ipairs(fields(JOBS, ids)) do
			local job = entry and readQueued(entry)
			if job then
				job.performAt = now
				entries[#entries + 1] = ids[i]
				entries[#entries + 1] = writeEntry(job, string.sub(entry, job.body))
			end
			times[#times + 1] = exact(now)
			times[#times + 1] = ids[i]
		end
		inChunks('HSET', JOBS, entries)
		inChunks('ZADD', set, times)
		more = more or #ids == MAX_KEPT_DUE
	end
	return more and meta.clock or now
end
