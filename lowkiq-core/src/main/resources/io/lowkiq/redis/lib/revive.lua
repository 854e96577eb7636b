-- Queues dead jobs up (rule 7), and deletes them.

local function forget(id)
	redis.call('HDEL', MORGUE, id)
	redis.call('ZREM', BURIALS, id)
	redis.call('UNLINK', deadPayloadsOf(id))
end

-- Queues a dead job up, merged with what is queued for its id.
local function revive(id, now)
	local from, to = deadPayloadsOf(id), payloadsOf(id)
	local count = redis.call('ZCARD', from)
	local job = { performAt = now, retry = -1, crashes = 0 }
	if count == 1 then
		local found = redis.call('ZRANGE', from, 0, 0, 'WITHSCORES')
		requeue(id, job, { found[1] }, { tonumber(found[2]) }, now)
	elseif count > 1 then
		local old, entry = queued(id, now)
		if old and old.kind == MULTI then
			redis.call('ZUNIONSTORE', to, 2, to, from, 'AGGREGATE', 'MIN')
		else
			if old then
				addPayloads(from, { string.sub(entry, old.body) }, { old.score })
			end
			redis.call('RENAME', from, to)
		end
		redis.call('HSET', JOBS, id, writeEntry(MULTI, job, 0, ''))
		place(id, job, old)
	end
	forget(id)
end

-- Touches what is needed of dead jobs and their queued counterparts.
local function touchDeadAndQueued(ids)
	for _, id in ipairs(ids) do
		touch(id)
		touchDead(id)
	end
end

-- The ids that were buried before some time, the longest dead first.
local function buriedBefore(before, limit)
	return redis.call('ZRANGEBYSCORE', BURIALS, '-inf', '(' .. exact(before), 'LIMIT', 0, limit)
end
