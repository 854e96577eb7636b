-- Records a queue unless it is recorded.
--
-- KEYS  1 the queues: name -> 'generation:layout', followed by ':removing' while the queue is being removed; and, for a
--         removed queue, 'removed:<name>' -> its last generation
-- ARGV  1 the name
--       2 the layout: the number of shards, followed by ':group=' and the separator if each group belongs to one shard
-- Returns the record.
-- Keeps: a name gets each generation once, so that the shards of a removed queue are never taken for those of a new one.

assert(#KEYS == 1 and #ARGV == 2, 'one key and two arguments expected')
local QUEUES, name = KEYS[1], ARGV[1]

local record = redis.call('HGET', QUEUES, name)
if not record then
	local last = tonumber(redis.call('HGET', QUEUES, 'removed:' .. name)) or 0
	record = string.format('%d:%s', last + 1, ARGV[2])
	redis.call('HSET', QUEUES, name, record)
end
return { record }
