-- Keeps due jobs due when Redis' clock goes back.

-- Maximum number of jobs that are made due by one call.
local MAX_KEPT_DUE = 1000

-- If the clock has gone back since the owner's last call, makes the jobs due now that were due then. Has to be called before
-- jobs are chosen, and remembers the time of this call. If there are more jobs, the next call goes on with them. Reads all
-- before it writes.
local function keepDue(now)
	local moves, more = {}, false
	for _, set in ipairs(now < meta.clock and { DELAYED, SUSPECTS } or {}) do
		local ids = redis.call('ZRANGEBYSCORE', set, '(' .. exact(now), exact(meta.clock), 'LIMIT', '0', exact(MAX_KEPT_DUE))
		local move = { set = set, entries = {}, times = {} }
		for i, entry in ipairs(fields(JOBS, ids)) do
			local job = entry and readQueued(entry)
			if job then
				job.performAt = now
				move.entries[#move.entries + 1] = ids[i]
				move.entries[#move.entries + 1] = writeEntry(job, string.sub(entry, job.body))
			end
			move.times[#move.times + 1] = exact(now)
			move.times[#move.times + 1] = ids[i]
		end
		moves[#moves + 1] = move
		more = more or #ids == MAX_KEPT_DUE
	end
	for _, move in ipairs(moves) do
		inChunks('HSET', JOBS, move.entries)
		inChunks('ZADD', move.set, move.times)
	end
	return more and meta.clock or now
end
