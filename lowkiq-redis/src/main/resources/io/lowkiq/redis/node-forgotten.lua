-- Records that Redis has forgotten something. For people only.
--
-- KEYS  1 the nodes
-- ARGV  1 the degree
--       2 when it was noticed
--       3 the rest of the line
-- Returns 1 if this loss is recorded; 0 if it is everything, and another node has said so.
-- Keeps: the last 100 lines, and none that is an hour older than the last one. A repeated record says the same.

assert(#KEYS == 1 and #ARGV == 3, 'one key and three arguments expected')
local NODES, MOST, HOUR = KEYS[1], 100, 3600000
local noticedAt = assert(tonumber(ARGV[2]), 'the time is no number')

local loss = table.concat(ARGV, '\t')
local lines = {}
for line in string.gmatch(redis.call('HGET', NODES, 'forgotten') or '', '[^\n]+') do
	local degree, time = string.match(line, '^(%u+)\t(%d+)\t')
	if line == loss then
		return { 1 }
	elseif degree == 'EVERYTHING' and ARGV[1] == degree then
		return { 0 }
	elseif noticedAt - (tonumber(time) or 0) < HOUR then
		lines[#lines + 1] = line
	end
end
lines[#lines + 1] = loss
redis.call('HSET', NODES, 'forgotten', table.concat(lines, '\n', math.max(1, #lines - MOST + 1)))
return { 1 }
