-- Choosing and deleting dead jobs.

-- The ids of an action, and 1 if there are more: named ones (packed), or those that were buried before some time, the
-- longest dead first.
local function deadIds(named, limit, before)
	if named ~= '' then
		return readIds(named), 0
	end
	limit = assert(tonumber(limit))
	local ids = redis.call('ZRANGEBYSCORE', MORGUE_TIMES, '-inf', '(' .. before, 'LIMIT', 0, limit + 1)
	if #ids > limit then
		ids[#ids] = nil
		return ids, 1
	end
	return ids, 0
end

local function forget(id)
	redis.call('HDEL', MORGUE, id)
	redis.call('ZREM', MORGUE_TIMES, id)
	redis.call('UNLINK', deadPayloadsOf(id))
end
