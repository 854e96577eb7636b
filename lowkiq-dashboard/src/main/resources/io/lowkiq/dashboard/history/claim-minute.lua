-- Claims the present minute of the history for one node.
-- KEYS[1] the last claimed minute
-- ARGV[1] how long after the full minute a minute of the history begins, in milliseconds
-- Returns the time in milliseconds since 1970, or 0 if the minute is claimed.
-- Invariant: of all nodes one writes a minute.
local delay = assert(tonumber(ARGV[1]), "delay")
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local minute = string.format("%.0f", math.floor((now - delay) / 60000))
if redis.call("GET", KEYS[1]) == minute then
	return { 0 }
end
redis.call("SET", KEYS[1], minute)
redis.call("PEXPIRE", KEYS[1], 120000)
return { now }
