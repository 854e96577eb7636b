-- The ids of a sorted set from a place on, by score and then by the bytes of the id.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 later, suspects, retries or burials
--       3 '1' for descending order
--       4 the score at which to begin, or ''
--       5 '1' to begin after the id with that score, '' to begin with the first id of that score
--       6 the id
--       7 the most ids
-- Returns of each: id, score as text, and 1 if it is a retry that is queued.
-- Keeps: writes nothing.

--@include shard
--@include bytes

assert(#ARGV == 7, 'seven arguments expected')
local set = assert(({ later = LATER, suspects = SUSPECTS, retries = RETRIES, burials = BURIALS })[ARGV[2]])
local descending, score, after, id = ARGV[3] == '1', ARGV[4], ARGV[5] == '1', ARGV[6]
local most = assert(tonumber(ARGV[7]))
assert(most > 0)

-- How many members come before the id with the score; with the id itself, if so asked.
local function countBefore(withId)
	local low, high = redis.call('ZCOUNT', set, '-inf', '(' .. score), redis.call('ZCOUNT', set, '-inf', score)
	while low < high do
		local middle = math.floor((low + high) / 2)
		local member = redis.call('ZRANGE', set, middle, middle)[1]
		if before(member, id) or withId and member == id then
			low = middle + 1
		else
			high = middle
		end
	end
	return low
end

local first = 0
if score ~= '' and after then
	first = descending and redis.call('ZCARD', set) - countBefore(false) or countBefore(true)
elseif score ~= '' and descending then
	first = redis.call('ZCOUNT', set, '(' .. score, '+inf')
elseif score ~= '' then
	first = redis.call('ZCOUNT', set, '-inf', '(' .. score)
end
local found = redis.call(descending and 'ZREVRANGE' or 'ZRANGE', set, first, first + most - 1, 'WITHSCORES')
local ids = {}
for i = 1, #found, 2 do
	ids[#ids + 1] = found[i]
end
local retries = #ids > 0 and redis.call('ZMSCORE', RETRIES, unpack(ids)) or {}
local reply = {}
for i, member in ipairs(ids) do
	reply[#reply + 1] = member
	reply[#reply + 1] = found[2 * i]
	reply[#reply + 1] = retries[i] and 1 or 0
end
return reply
