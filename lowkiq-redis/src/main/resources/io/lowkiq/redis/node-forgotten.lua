-- Records that Redis has forgotten something, or that somebody has acknowledged it. For people only.
--
-- KEYS  1 the nodes
-- ARGV  1 'record' or 'acknowledge'
--       2 the degree
--       3 the loss, packed
-- Returns 1 if this loss is recorded, or was until now; 0 if there is another one of this degree, or none.
-- Keeps: of a degree, the first loss stays until it is acknowledged or forgotten itself. A repeated record says the same.

assert(#KEYS == 1 and #ARGV == 3, 'one key and three arguments expected')
local NODES, field, loss = KEYS[1], 'forgotten:' .. ARGV[2], ARGV[3]

local known = redis.call('HGET', NODES, field)
if ARGV[1] == 'record' then
	if not known then
		redis.call('HSET', NODES, field, loss)
	end
	return { (not known or known == loss) and 1 or 0 }
end
assert(ARGV[1] == 'acknowledge', 'unknown step')
if known == loss then
	redis.call('HDEL', NODES, field)
end
return { known == loss and 1 or 0 }
