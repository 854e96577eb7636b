-- Lists the groups of a shard with the most waiting jobs, or looks up one.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the maximum number of groups to return
--       3 what separates the group of an id from the rest, or '' to look at the lists of the groups only
--       4 the only group to look at; missing for all
-- Returns the number of ids of the inbox that were not looked at. Then, of each group, its name, the number of its ids in its
-- list and among those of the inbox that were looked at, void ones included, and 1 if it is parked; those with the most come
-- first, and of equal ones, the group whose last turn is longest ago.
-- Keeps: writes nothing; looks at a bounded number of groups, the parked ones first, and of ids of the inbox.

--@include keys
--@include commands
--@include group-of

assert(#ARGV == 3 or #ARGV == 4, 'three or four arguments expected')
local separator, only = ARGV[3], ARGV[4]

-- Maximum number of groups, and of ids of the inbox, that are looked at.
local MAX_LOOKED_AT = 1000

local groups, known = {}, {}
local function add(name, waiting, parked)
	local group = { name = name, waiting = waiting, parked = parked }
	groups[#groups + 1], known[name] = group, group
	return group
end

local last = exact(MAX_LOOKED_AT - 1)
local turns = only and { only, redis.call('ZSCORE', TURNS, only) or nil } or redis.call('ZRANGE', TURNS, '0', last, 'WITHSCORES')
for i = 1, #turns - 1, 2 do
	add(turns[i], redis.call('LLEN', listOf(turns[i])), tonumber(turns[i + 1]) < 0)
end
local inbox = separator ~= '' and redis.call('LRANGE', READY, '0', last) or {}
for _, id in ipairs(inbox) do
	local name = groupOf(id, separator)
	if not only or name == only then
		local group = known[name] or add(name, 0, false)
		group.waiting = group.waiting + 1
	end
end

-- Numbers are sorted without calling back
local PLACES = 4 * MAX_LOOKED_AT
local order = {}
for place, group in ipairs(groups) do
	order[place] = group.waiting * PLACES - place
end
table.sort(order)
local reply = { separator ~= '' and redis.call('LLEN', READY) - #inbox or 0 }
for i = #order, math.max(1, #order - assert(tonumber(ARGV[2])) + 1), -1 do
	local group = groups[-order[i] % PLACES]
	reply[#reply + 1], reply[#reply + 2], reply[#reply + 3] = group.name, group.waiting, group.parked and 1 or 0
end
return reply
