-- Waking the owner. A script that does is given as ARGV[2] the shard's name, and as ARGV[3] what the names of the sessions'
-- channels begin with.

-- Wakes the owner, once, if it waits for a job that is due later than at some time. The last thing a script does; not being
-- allowed to publish is no failure.
local function wake(performAt)
	if meta.session ~= '' and not meta.paused and performAt < meta.wake then
		meta.wake = NEVER
		save()
		redis.pcall('PUBLISH', ARGV[3] .. meta.session, ARGV[2])
	end
end
