-- Waking the owner.

-- Whether the owner has to be woken for a job that is due at some time. It is woken once.
local function wakes(performAt)
	if meta.session == '' or meta.paused or performAt >= meta.wake then
		return false
	end
	meta.wake = NEVER
	return true
end

-- Publishes, as the last thing a script does. Not being allowed to is no failure.
local function publish(channel, text)
	redis.pcall('PUBLISH', channel, text)
end
