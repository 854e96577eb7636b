-- Makes jobs due that are not due yet.

-- Makes the job of an id in 'later' or 'suspects' due now.
local function hasten(set, id, now)
	local entry = redis.call('HGET', JOBS, id)
	if entry and readEntry(entry) then
		redis.call('HSET', JOBS, id, string.sub(entry, 1, 1) .. struct.pack('>d', now) .. string.sub(entry, 10))
	end
	redis.call('ZADD', set, exact(now), id)
end
