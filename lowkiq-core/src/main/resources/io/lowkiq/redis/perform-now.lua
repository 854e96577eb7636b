-- Makes the named queued jobs due now that are not due yet, and wakes the owner.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the shard's name, for the wake-up
--       3 what the names of the sessions' channels begin with
--       4 the ids, packed
-- Returns how many jobs were changed.
-- Keeps: 'later' and 'suspects' hold the performAt of the entries.

--@include shard
--@include entry
--@include hasten

assert(#ARGV == 4, 'four arguments expected')
local now = math.floor(clock(ARGV[1]))

load()
local count = 0
for _, id in ipairs(readIds(ARGV[4])) do
	for _, set in ipairs({ LATER, SUSPECTS }) do
		local performAt = tonumber(redis.call('ZSCORE', set, id))
		if performAt and performAt > now then
			hasten(set, id, now)
			count = count + 1
		end
	end
end
local wake = count > 0 and wakes(now)
save()
if wake then
	publish(ARGV[3] .. meta.session, ARGV[2])
end
return { count }
