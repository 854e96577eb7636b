-- When the owner's next jobs are due.

-- The time of the first job of a sorted set; nil if it is empty.
local function firstTime(set)
	return tonumber(redis.call('ZRANGE', set, 0, 0, 'WITHSCORES')[2])
end

-- When the next job that is no suspect is due; nil if there is none, or the queue is paused.
local function nextDue(isReady, now)
	if meta.paused then
		return nil
	end
	return isReady and now or firstTime(DELAYED)
end

-- The same of the suspects.
local function nextSuspect()
	return not meta.paused and firstTime(SUSPECTS) or nil
end
