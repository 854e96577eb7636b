-- Records which application serves a queue, unless another use is recorded than the caller knows of.
--
-- KEYS  1 the uses: name of the queue -> the type of its payloads, a line break, the name of the application
-- ARGV  1 the queue
--       2 the use that the caller knows of, or '' for none
--       3 the use
-- Returns the use that is recorded then.
-- Keeps: of two applications that take a queue, one gets it. Works when Redis' memory is full.

assert(#KEYS == 1 and #ARGV == 3, 'one key and three arguments expected')

local recorded = redis.call('HGET', KEYS[1], ARGV[1])
if (recorded or '') == ARGV[2] then
	-- As writeThoughFull() does in a shard
	redis.call('PERSIST', KEYS[1])
	redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
	recorded = ARGV[3]
end
return { recorded }
