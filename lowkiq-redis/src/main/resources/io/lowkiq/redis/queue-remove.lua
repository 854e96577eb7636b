-- Begins, ends or cancels the removal of a queue.
--
-- KEYS  1 the queues, as in queue-record.lua
--       2, 3 what is set for its groups, and its last changes, as in group-override.lua
--       4 the uses, as in queue-use.lua
-- ARGV  1 the name
--       2 its record, 'generation:layout'
--       3 begin, end, or cancel
--       4 the generation
-- Returns 1 if the queue has this record and the step was done, now or before; else 0.
-- Keeps: a queue is not recorded again while it is being removed. Nothing is set for the groups of a removed one, and no
-- application has it.

assert(#KEYS == 4 and #ARGV == 4, 'four keys and four arguments expected')
local QUEUES, OVERRIDES, CHANGES, USES = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local name, layout, step, generation = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local removing, last = layout .. ':removing', 'removed:' .. name

local record = redis.call('HGET', QUEUES, name)
if step == 'end' then
	if record == removing then
		redis.call('PERSIST', QUEUES)
		redis.call('HSET', QUEUES, last, generation)
		redis.call('HDEL', QUEUES, name)
		redis.call('HDEL', USES, name)
		redis.call('UNLINK', OVERRIDES, CHANGES)
		return { 1 }
	end
	return { not record and redis.call('HGET', QUEUES, last) == generation and 1 or 0 }
end
if record ~= layout and record ~= removing then
	return { 0 }
end
-- As writeThoughFull() does in a shard
redis.call('PERSIST', QUEUES)
redis.call('HSET', QUEUES, name, step == 'begin' and removing or layout)
return { 1 }
