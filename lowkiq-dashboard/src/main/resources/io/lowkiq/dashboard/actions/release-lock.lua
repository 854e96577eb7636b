-- Releases the lock of an action if a certain run holds it.
-- KEYS[1] the lock
-- ARGV[1] the id of the run
-- Returns 1 if the lock was released, 0 if another run holds it or none does.
-- Invariant: a lock is only released for the run that was looked at.
local run = assert(ARGV[1], "run")
if redis.call("GET", KEYS[1]) == run then
	return { redis.call("DEL", KEYS[1]) }
end
return { 0 }
