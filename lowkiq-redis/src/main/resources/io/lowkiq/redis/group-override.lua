-- Sets or resets parts of what operators have set for groups, and tells the nodes. What is as it is to be stays, with who set it.
--
-- KEYS  1 the queues, as in queue-record.lua
--       2 what is set for the groups of a queue: '<part>:<group>' -> the time in milliseconds, the value, and who has set it, with
--         spaces between them; and 'revision' -> a number, which grows by each change, and the time, with a colon between them
--       3 the last changes, in a sorted set: the revision and the field, with a space between them, by the number
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the channel of all nodes
--       3 the message to them
--       4 the name of the queue
--       5 its generation
--       6 and so on, in turn: a field, and the value and who sets it, or '' to reset it
-- Returns the number of groups that were changed, or -1 if the queue is not recorded in this generation.
-- Keeps: the revision stays until the queue is removed. All changes after the oldest one in the sorted set are in it. Works when Redis'
-- memory is full.

assert(#KEYS == 3 and #ARGV >= 7 and #ARGV % 2 == 1, 'three keys, and seven arguments or more expected')
local QUEUES, OVERRIDES, CHANGES = KEYS[1], KEYS[2], KEYS[3]
local MAX_CHANGES = 2000

local record, generation = redis.call('HGET', QUEUES, ARGV[4]) or '', ARGV[5] .. ':'
if string.sub(record, 1, #generation) ~= generation then
	return { -1 }
end
local time = redis.call('TIME')
local now = tonumber(ARGV[1]) or time[1] * 1000 + time[2] / 1000
local count = (tonumber(string.match(redis.call('HGET', OVERRIDES, 'revision') or '', '^%d+')) or 0) + 1
local revision = string.format('%.0f:%.3f', count, now)
local changed, groups, seen = {}, 0, {}
for i = 6, #ARGV, 2 do
	local field, value = ARGV[i], string.match(ARGV[i + 1], '^%S+')
	local before = redis.call('HGET', OVERRIDES, field)
	if before and not value or value and value ~= string.match(before or '', '^%d+ (%S+)') then
		changed[#changed + 1] = i
		local group = string.match(field, ':.*$')
		groups = groups + (seen[group] and 0 or 1)
		seen[group] = true
	end
end
if #changed == 0 then
	return { 0 }
end

-- When its memory is full, Redis refuses the first write of a script if it may need memory, but not those that follow
redis.call('PERSIST', OVERRIDES)
for _, i in ipairs(changed) do
	if ARGV[i + 1] == '' then
		redis.call('HDEL', OVERRIDES, ARGV[i])
	else
		redis.call('HSET', OVERRIDES, ARGV[i], string.format('%.0f %s', math.floor(now), ARGV[i + 1]))
	end
	redis.call('ZADD', CHANGES, count, revision .. ' ' .. ARGV[i])
end
redis.call('HSET', OVERRIDES, 'revision', revision)
redis.call('ZREMRANGEBYRANK', CHANGES, 0, -1 - MAX_CHANGES)
-- Last. A missing permission is no failure
redis.pcall('PUBLISH', ARGV[2], ARGV[3])
return { groups }
