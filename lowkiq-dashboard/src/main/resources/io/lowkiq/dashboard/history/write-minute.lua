-- Adds a minute to the history of queues.
-- KEYS lists, each of the minutes of a queue
-- ARGV[1] how many minutes are kept, [2] how long a list is kept, in milliseconds, [3...] the minute of each list
-- Returns nothing.
-- Invariant: a list has no more than the last minutes.
local kept = assert(tonumber(ARGV[1]), "number of minutes")
assert(#ARGV == #KEYS + 2, "minute of each list")
for _, key in ipairs(KEYS) do
	redis.call("LLEN", key)
end
for i, key in ipairs(KEYS) do
	redis.call("RPUSH", key, ARGV[i + 2])
	redis.call("LTRIM", key, -kept, -1)
	redis.call("PEXPIRE", key, ARGV[2])
end
return {}
