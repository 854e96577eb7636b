-- How the list 'ready' is kept from growing with ids that are void.
--@include ready

-- Where most of the list is void, drops void ids from its head; jobs among them become delayed, in their order.
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
	each('ZADD', DELAYED, times)
	each('HSET', JOBS, entries)
	redis.call('LTRIM', READY, #ids, -1)
end

-- After deleting jobs: drops the void ids at the head of the list.
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
