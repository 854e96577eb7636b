-- Waking the owner. A script that does so has as ARGV[2] the shard's name, and as ARGV[3] the prefix of the sessions'
-- channels.

-- Wakes the owner, once, if the next job it waits for is due later than a time. The last step of a script. A missing
-- permission to publish is no failure.
local function wake(performAt)
	if meta.session ~= '' and not meta.paused and performAt < meta.wake then
		meta.wake = NEVER
		writeMeta()
		redis.pcall('PUBLISH', ARGV[3] .. meta.session, ARGV[2])
	end
end
