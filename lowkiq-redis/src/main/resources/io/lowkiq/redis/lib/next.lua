-- When the next jobs of a shard are due.
--@include commands
--@include parked

-- The first ids of a sorted set that are due, up to a maximum number, and their times.
local function dueIds(set, most, now)
	local ids, times = {}, {}
	if (firstTime(set) or math.huge) <= now then
		local found = redis.call('ZRANGEBYSCORE', set, '-inf', exact(now), 'WITHSCORES', 'LIMIT', '0', exact(most))
		for i = 1, #found, 2 do
			ids[#ids + 1], times[#times + 1] = found[i], tonumber(found[i + 1])
		end
	end
	return ids, times
end

-- When the next job that is not a suspect is due; nil if there is none, or the queue is paused. While the shard is moving,
-- the owner is to call again.
local function nextDue(isReady, now)
	if meta.paused then
		return nil
	end
	return (isReady or meta.moving) and now or firstTime(DELAYED)
end

-- When the next suspect is due; nil if there is none, or the queue is paused.
local function nextSuspect()
	return not meta.paused and firstTime(SUSPECTS) or nil
end
