-- Records a queue unless it is recorded.
--
-- KEYS  1 the queues: name -> 'generation:layout', followed by ':removing' while the queue is being removed; and, for a
--         removed queue, 'removed:<name>' -> its last generation
-- ARGV  1 the name
--       2 the layout: the number of shards, followed by ':group=' and the separator if each group belongs to one shard
--       3 and 4 the generation and the layout that the caller has known; 0 and '' if it has known none
-- Returns the record.
-- Keeps: a name gets each generation once, so that the shards of a removed queue are never taken for those of a new one. A
-- record that was forgotten alone comes back as it was.

assert(#KEYS == 1 and #ARGV == 4, 'one key and four arguments expected')
local QUEUES, name, known = KEYS[1], ARGV[1], assert(tonumber(ARGV[3]), 'not a generation')

local record = redis.call('HGET', QUEUES, name)
if not record then
	local last = tonumber(redis.call('HGET', QUEUES, 'removed:' .. name)) or 0
	record = known > last and string.format('%d:%s', known, ARGV[4]) or string.format('%d:%s', last + 1, ARGV[2])
	redis.call('HSET', QUEUES, name, record)
end
return { record }
