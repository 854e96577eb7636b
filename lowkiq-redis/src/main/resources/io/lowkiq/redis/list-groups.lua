-- Lists the groups of a shard with the most waiting jobs, or looks up one.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the maximum number of groups to return
--       3 the only group to look at; missing for all
-- Returns of each group its name, the number of ids in its list, void ones included, and 1 if it is parked; the longest lists
-- come first, and of equal ones, that of the group whose last turn is longest ago.
-- Keeps: writes nothing; looks at a bounded number of groups, the parked ones first.

--@include keys
--@include commands

assert(#ARGV == 2 or #ARGV == 3, 'two or three arguments expected')

-- Maximum number of groups that are looked at.
local MAX_LOOKED_AT = 1000

local groups, reply = {}, {}
local turns = ARGV[3] and { ARGV[3], redis.call('ZSCORE', TURNS, ARGV[3]) or nil } or redis.call('ZRANGE', TURNS, 0, MAX_LOOKED_AT - 1, 'WITHSCORES')
for i = 1, #turns - 1, 2 do
	groups[#groups + 1] = { name = turns[i], waiting = redis.call('LLEN', listOf(turns[i])), turn = i, parked = tonumber(turns[i + 1]) < 0 }
end
table.sort(groups, function(one, other)
	return one.waiting > other.waiting or one.waiting == other.waiting and one.turn < other.turn
end)
for i = 1, math.min(#groups, assert(tonumber(ARGV[2]))) do
	reply[#reply + 1], reply[#reply + 2], reply[#reply + 3] = groups[i].name, groups[i].waiting, groups[i].parked and 1 or 0
end
return reply
