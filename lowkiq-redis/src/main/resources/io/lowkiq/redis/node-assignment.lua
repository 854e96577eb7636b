-- Reads the whole assignment.
--
-- KEYS  1 the nodes
-- Returns its version, then of each session that has shards: the session, and its shards as text.

assert(#KEYS == 1, 'one key expected')
local NODES = KEYS[1]

local fields, reply = {}, { tonumber(redis.call('HGET', NODES, 'version') or '') or 0 }
for _, field in ipairs(redis.call('HKEYS', NODES)) do
	if string.sub(field, 1, 2) == 'a:' then
		fields[#fields + 1] = field
	end
end
local shards = #fields > 0 and redis.call('HMGET', NODES, unpack(fields)) or {}
for i, field in ipairs(fields) do
	reply[#reply + 1] = string.sub(field, 3)
	reply[#reply + 1] = shards[i]
end
return reply
