-- Reads the same field of several hashes, on their master.
--
-- KEYS  the hashes
-- ARGV  1 the field
-- Returns the value in each hash, null for a missing one.

assert(#KEYS > 0 and #ARGV == 1, 'keys and one argument expected')
local values = {}
for i, key in ipairs(KEYS) do
	values[i] = redis.call('HGET', key, ARGV[1])
end
return values
