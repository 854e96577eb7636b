-- When the list 'ready' has to be swept.

-- Whether most of a list of a length is void.
local function isMostlyVoid(length)
	return length > 1000 and length > 2 * redis.call('HLEN', JOBS) + 1000
end
