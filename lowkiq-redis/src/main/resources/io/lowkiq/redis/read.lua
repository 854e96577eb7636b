-- Reads fields of a hash on the master of its key, where no client setting can send it to a replica.
--
-- KEYS  1 the hash
-- ARGV  the fields; none for all
-- Returns the values, null for a missing one; of all fields, names and values in turn.

assert(#KEYS == 1, 'one key expected')

if #ARGV == 0 then
	return redis.call('HGETALL', KEYS[1])
end
return redis.call('HMGET', KEYS[1], unpack(ARGV))
