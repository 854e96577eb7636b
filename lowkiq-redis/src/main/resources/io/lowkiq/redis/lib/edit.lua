-- Replacing the first payload of a job.

-- Replaces the first payload of a sorted set, if it is the one that is known; the other one gets its score. Returns
-- whether it was replaced.
local function replaceFirst(key, known, replacement)
	local first = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
	if first[1] ~= known then
		return false
	end
	redis.call('ZREM', key, known)
	addPayloads(key, { replacement }, { tonumber(first[2]) })
	return true
end
