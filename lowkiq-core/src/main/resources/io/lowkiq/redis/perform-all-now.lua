-- Makes queued jobs due now that are not due yet, those that are due first before others, and wakes the owner.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the shard's name, for the wake-up
--       3 what the names of the sessions' channels begin with
--       4 the most jobs to change
-- Returns how many jobs were changed, and 1 if there is more to do.
-- Keeps: 'later' and 'suspects' hold the performAt of the entries.

--@include shard
--@include entry
--@include hasten

assert(#ARGV == 4, 'four arguments expected')
local now = math.floor(clock(ARGV[1]))
local limit = assert(tonumber(ARGV[4]))

-- The first jobs of a set that are not due, one more than the limit: ids and times in turn.
local function notDue(set)
	return redis.call('ZRANGEBYSCORE', set, '(' .. exact(now), '+inf', 'WITHSCORES', 'LIMIT', 0, limit + 1)
end

load()
local later, suspects = notDue(LATER), notDue(SUSPECTS)
local count, i, j = 0, 1, 1
while count < limit and (later[i] or suspects[j]) do
	if not suspects[j] or later[i] and tonumber(later[i + 1]) <= tonumber(suspects[j + 1]) then
		hasten(LATER, later[i], now)
		i = i + 2
	else
		hasten(SUSPECTS, suspects[j], now)
		j = j + 2
	end
	count = count + 1
end
local wake = count > 0 and wakes(now)
save()
if wake then
	publish(ARGV[3] .. meta.session, ARGV[2])
end
return { count, (later[i] or suspects[j]) and 1 or 0 }
