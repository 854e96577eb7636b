-- Records which shards are assigned to which session.
--
-- KEYS  1 the nodes
-- ARGV  1 the version of the assignment
--       2 the channel of all nodes
--       3 the message to them
--       4 a session, 5 its shards as text, and so on
-- Returns 1 if it was recorded; 0 if its version is not the one after the recorded version.
-- Keeps: if two nodes replace the same assignment, one of them wins. Works when Redis' memory is full.

--@include nodes

assert(#ARGV % 2 == 1, 'sessions and shards expected')

readNodes()
if tonumber(ARGV[1]) ~= version + 1 then
	return { 0 }
end
local former = redis.call('HKEYS', NODES)
writeThoughFull()
for _, field in ipairs(former) do
	if string.sub(field, 1, 2) == 'a:' then
		redis.call('HDEL', NODES, field)
	end
end
for i = 4, #ARGV, 2 do
	redis.call('HSET', NODES, 'a:' .. ARGV[i], ARGV[i + 1])
end
redis.call('HSET', NODES, 'version', ARGV[1])
publish(ARGV[2], ARGV[3])
return { 1 }
