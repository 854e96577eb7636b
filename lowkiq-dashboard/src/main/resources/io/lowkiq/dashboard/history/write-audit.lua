-- Adds an entry to the audit log, with the time.
-- KEYS[1] list of entries: "time entry"
-- KEYS[2] hash of pauses: queue -> "time entry"
-- ARGV[1] the entry, [2] how many entries are kept
-- ARGV[3] the queue, [4] "pause" if it is paused from now on, "resume" if it isn't, else ""
-- Returns the time in milliseconds since 1970.
-- Invariant: the list keeps its length; the hash has a field for each paused queue at most.
local kept = assert(tonumber(ARGV[2]), "number of entries")
redis.call("LLEN", KEYS[1])
redis.call("HLEN", KEYS[2])
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local entry = string.format("%.0f ", now) .. ARGV[1]
redis.call("RPUSH", KEYS[1], entry)
redis.call("LTRIM", KEYS[1], -kept, -1)
if ARGV[4] == "pause" then
	redis.call("HSET", KEYS[2], ARGV[3], entry)
elseif ARGV[4] == "resume" then
	redis.call("HDEL", KEYS[2], ARGV[3])
end
return { now }
