-- When the list 'ready', or that of a group, has to be swept.

-- Number of elements up to which a list is never swept.
local MAX_UNSWEPT = 1000

-- Whether most of a list of a length is void.
local function isMostlyVoid(length)
	return length > MAX_UNSWEPT and length > 2 * redis.call('HLEN', JOBS) + MAX_UNSWEPT
end
