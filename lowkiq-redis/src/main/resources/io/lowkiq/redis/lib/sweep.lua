-- Keeping the list 'ready' from growing with void ids.
--@include ready

-- If most of the list is void, drops some ids at its head. The jobs of those that are not void become delayed.
local function sweepReady(most)
	if redis.call('LLEN', READY) <= 2 * redis.call('HLEN', JOBS) + 1000 then
		return
	end
	local ids = redis.call('LRANGE', READY, 0, math.min(most, 1000) - 1)
	local entries, times = {}, {}
	for i, entry in ipairs(fields(JOBS, ids)) do
		local time = entry and readyTime(entry)
		if time then
			local job = readQueued(entry)
			if job then
				job.place = IS_DELAYED
				entries[#entries + 1] = ids[i]
				entries[#entries + 1] = writeEntry(job, string.sub(entry, job.body))
			end
			times[#times + 1] = exact(time)
			times[#times + 1] = ids[i]
		end
	end
	inChunks('ZADD', DELAYED, times)
	inChunks('HSET', JOBS, entries)
	redis.call('LTRIM', READY, #ids, -1)
end

-- Drops void ids at the head of the list after jobs were deleted.
local function dropVoid(deleted)
	local void = 0
	for _, entry in ipairs(fields(JOBS, redis.call('LRANGE', READY, 0, 99))) do
		if entry and readyTime(entry) then
			break
		end
		void = void + 1
	end
	if void > 0 then
		redis.call('LTRIM', READY, void, -1)
	end
	sweepReady(math.max(10, 2 * deleted))
end
