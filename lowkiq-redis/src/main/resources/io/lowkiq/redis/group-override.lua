-- Sets or resets parts of what operators have set for a group, and tells the nodes.
--
-- KEYS  1 the queues, as in queue-record.lua
--       2 what is set for the groups of a queue: '<part>:<group>' -> the time in milliseconds, the value, and who has set it, with
--         spaces between them; and 'revision' -> a text that differs after each change
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the channel of all nodes
--       3 the message to them
--       4 the name of the queue
--       5 its generation
--       6 and so on, in turn: a field, and the value and who sets it, or '' to reset it
-- Returns 1, or 0 if the queue is not recorded in this generation.
-- Keeps: nothing is left of a queue for which nothing is set, or that was removed. Works when Redis' memory is full.

assert(#KEYS == 2 and #ARGV >= 7 and #ARGV % 2 == 1, 'two keys, and seven arguments or more expected')
local QUEUES, OVERRIDES = KEYS[1], KEYS[2]

local record, generation = redis.call('HGET', QUEUES, ARGV[4]) or '', ARGV[5] .. ':'
if string.sub(record, 1, #generation) ~= generation then
	return { 0 }
end
local time = redis.call('TIME')
local now = tonumber(ARGV[1]) or time[1] * 1000 + time[2] / 1000
local count = tonumber(string.match(redis.call('HGET', OVERRIDES, 'revision') or '', '^%d+')) or 0

-- When its memory is full, Redis refuses the first write of a script if it may need memory, but not those that follow
redis.call('PERSIST', OVERRIDES)
for i = 6, #ARGV, 2 do
	if ARGV[i + 1] == '' then
		redis.call('HDEL', OVERRIDES, ARGV[i])
	else
		redis.call('HSET', OVERRIDES, ARGV[i], string.format('%.0f %s', math.floor(now), ARGV[i + 1]))
	end
end
redis.call('HSET', OVERRIDES, 'revision', string.format('%.0f:%.3f', count + 1, now))
if redis.call('HLEN', OVERRIDES) == 1 then
	redis.call('DEL', OVERRIDES)
end
-- Last. A missing permission is no failure
redis.pcall('PUBLISH', ARGV[2], ARGV[3])
return { 1 }
