-- Claims the present step of the history for one node.
-- KEYS[1] the last claimed step
-- ARGV[1] the length of a step, in milliseconds
-- ARGV[2] how many steps after the last claimed one it has to be
-- Returns the time in milliseconds since 1970, or 0 if it is too early.
-- Invariant: of all nodes one writes a step.
local length = assert(tonumber(ARGV[1]), "length of a step")
local apart = assert(tonumber(ARGV[2]), "steps apart")
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local step = math.floor(now / length)
local last = tonumber(redis.call("GET", KEYS[1]) or "")
if last and step < last + apart then
	return 0
end
redis.call("SET", KEYS[1], string.format("%.0f", step), "PX", length * 10)
return now
