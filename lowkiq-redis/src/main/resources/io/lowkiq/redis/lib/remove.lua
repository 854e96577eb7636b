-- Removing queued jobs.
--@include owner
--@include ids
--@include sweep

-- The packed ids; or, if there are none, some ids of jobs that have failed, the smallest retryCount first.
local function idsToRemove(packed, limit)
	return packed ~= '' and readIds(packed) or redis.call('ZRANGE', RETRIES, 0, limit - 1)
end

-- Removes queued jobs. Before that, each is given to a function, with its entry, which may be unreadable. Returns how many
-- there were.
local function remove(ids, entries, now, visit)
	local removed = 0
	writeThoughFull()
	for i, id in ipairs(ids) do
		if entries[i] then
			visit(id, entries[i])
			leaveReady(id, readQueued(entries[i]) and placeOf(entries[i]))
			deleteQueued(id)
			removed = removed + 1
		else
			redis.call('ZREM', RETRIES, id)
		end
	end
	dropVoid(removed, now)
	return removed
end
