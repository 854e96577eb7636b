-- Ends a session that leaves, or whose node has died.
--
-- KEYS  1 the nodes
-- ARGV  1 the session
--       2 the number of its heartbeats that the caller has seen, or '' if the session leaves. Nothing changes if it has
--         another number by now
--       3 '1' if its busy jobs count a crash, unless the node was stopping
--       4 the channel of all nodes
--       5 the message to them
--       6 now in milliseconds, or '' for Redis' own time; for people only
-- Returns 1 if the session has ended, by this call or before, else 0.
-- Keeps: a session that has ended never lives again. Works when Redis' memory is full.

--@include nodes

assert(#ARGV == 6, 'six arguments expected')
local session, beats = ARGV[1], ARGV[2]

readNodes()
local place = indexOf(members, session)
if not place then
	return { indexOf(ended, session) and 1 or 0 }
end
if beats ~= '' and redis.call('HGET', NODES, 'beats:' .. session) ~= beats then
	return { 0 }
end
local info = redis.call('HGET', NODES, 'i:' .. session)
local former = redis.call('HGET', NODES, 'past') or ''
local seen = beats ~= '' and tonumber(redis.call('HGET', NODES, 'seen:' .. session) or '')
local time = seen or timeOf(ARGV[6])
local isStopping = info and string.byte(info, 2) == 1
local isCrash = ARGV[3] == '1' and not isStopping
local report = isCrash and redis.call('HGET', NODES, 'report:' .. session)
local names = redis.call('HKEYS', NODES)
writeThoughFull()
redis.call('HDEL', NODES, 'i:' .. session, 'beats:' .. session, 'seen:' .. session, 'report:' .. session)
table.remove(members, place)
ended[#ended + 1] = session
ended[#ended + 1] = isCrash and 1 or 0
local packed = {}
for i = math.max(1, #ended - 2 * MAX_ENDED + 1), #ended, 2 do
	packed[#packed + 1] = struct.pack('>I4', #ended[i]) .. ended[i] .. struct.pack('>B', ended[i + 1])
end
redis.call('HSET', NODES, 'ended', table.concat(packed))
local isLost = beats ~= '' and not isStopping
local described, isDescribed = past(former, session, info or '', time, isLost and 1 or 0)
redis.call('HSET', NODES, 'past', described)
if report then
	redis.call('HSET', NODES, 'last:' .. session, report)
end
for _, name in ipairs(names) do
	if string.sub(name, 1, 5) == 'last:' and not isDescribed[string.sub(name, 6)] then
		redis.call('HDEL', NODES, name)
	end
end
saveMembers()
publish(ARGV[4], ARGV[5])
return { 1 }
