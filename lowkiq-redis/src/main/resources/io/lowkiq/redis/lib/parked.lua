-- Jobs that are parked in the index of their place while lib/clock.lua makes others due. A parked job has its performAt in
-- its entry. Its score is that times 2^900: beyond every time, but in the same order.
local PARKED = 2 ^ 900

-- The times of jobs to park are after the first of these and not after the second one; nil if none is parked. Set by
-- lib/clock.lua, which a script has to call before it places a job that is not due.
local parksAfter, parksUntil

-- The score of a job in the index of its place.
local function indexScore(performAt)
	if parksUntil and performAt > parksAfter and performAt <= parksUntil then
		return performAt * PARKED
	end
	return performAt
end

-- The time of the first job of a sorted set; nil if there is none, or it is on hold.
local function firstTime(set)
	local time = tonumber(redis.call('ZRANGE', set, '0', '0', 'WITHSCORES')[2])
	if time and time >= PARKED then
		return time ~= math.huge and time / PARKED or nil
	end
	return time
end
