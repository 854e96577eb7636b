-- Records that Redis has forgotten something, or that somebody has acknowledged it. For people only.
--
-- KEYS  1 the nodes
-- ARGV  1 'record' or 'acknowledge'
--       2 the degree
--       3 the loss, packed
--       4 the loss that it replaces, packed, or '' for none; only of a record
-- Returns 1 if this loss is recorded, or was until now; 0 if there is another one of this degree, or none.
-- Keeps: of a degree, a loss stays until it is acknowledged or forgotten itself, or somebody who knows it replaces it. A
-- repeated record says the same.

assert(#KEYS == 1 and #ARGV == 4, 'one key and four arguments expected')
local NODES, field, loss = KEYS[1], 'forgotten:' .. ARGV[2], ARGV[3]

local known = redis.call('HGET', NODES, field)
if ARGV[1] == 'record' then
	if (known or '') ~= ARGV[4] then
		return { known == loss and 1 or 0 }
	end
	redis.call('HSET', NODES, field, loss)
	return { 1 }
end
assert(ARGV[1] == 'acknowledge', 'unknown step')
if known == loss then
	redis.call('HDEL', NODES, field)
end
return { known == loss and 1 or 0 }
