-- Takes the lock of an action, unless a run has it.
-- KEYS[1] the lock
-- ARGV[1] the id of the run, [2] how long it has the lock, in milliseconds
-- Returns the id of the run that has the lock.
-- Invariant: one run at a time has a lock.
local run = assert(ARGV[1], "run")
local life = assert(tonumber(ARGV[2]), "how long")
local holder = redis.call("GET", KEYS[1])
if holder then
	return { holder }
end
redis.call("SET", KEYS[1], run)
redis.call("PEXPIRE", KEYS[1], life)
return { run }
