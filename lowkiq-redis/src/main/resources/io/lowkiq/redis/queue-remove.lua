-- Begins, ends or cancels the removal of a queue.
--
-- KEYS  1 the queues, as in queue-record.lua
-- ARGV  1 the name
--       2 its record, 'generation:layout'
--       3 begin, end, or cancel
--       4 the generation
-- Returns 1 if the queue has this record and the step was done, now or before; else 0.
-- Keeps: a queue is not recorded again while it is being removed.

assert(#KEYS == 1 and #ARGV == 4, 'one key and four arguments expected')
local QUEUES, name, layout, step, generation = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local removing, last = layout .. ':removing', 'removed:' .. name

local record = redis.call('HGET', QUEUES, name)
if step == 'end' then
	if record == removing then
		redis.call('HSET', QUEUES, last, generation)
		redis.call('HDEL', QUEUES, name)
		return { 1 }
	end
	return { not record and redis.call('HGET', QUEUES, last) == generation and 1 or 0 }
end
if record ~= layout and record ~= removing then
	return { 0 }
end
redis.call('HSET', QUEUES, name, step == 'begin' and removing or layout)
return { 1 }
