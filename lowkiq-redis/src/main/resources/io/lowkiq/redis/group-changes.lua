-- Reads what was set for the groups of a queue since a revision, or everything.
--
-- KEYS  1 the queues, as in queue-record.lua
--       2, 3 what is set for the groups of the queue, and its last changes, as in group-override.lua
-- ARGV  1 the name of the queue
--       2 its generation
--       3 the revision that the caller knows, or '' for none
-- Returns how it is told, and the fields with their values in turn: 'changes' since the known revision, null for a reset one; 'all';
-- 'lost' is 'all', too, where Redis has forgotten the known revision. Or only 'forgotten', if Redis knows nothing of the queue.

assert(#KEYS == 3 and #ARGV == 3, 'three keys and three arguments expected')
local QUEUES, OVERRIDES, CHANGES = KEYS[1], KEYS[2], KEYS[3]
local name, generation, known = ARGV[1], ARGV[2], ARGV[3]

local record = redis.call('HGET', QUEUES, name)
if known ~= '' and not record and not redis.call('HGET', QUEUES, 'removed:' .. name) then
	return { 'forgotten' }
end
local revision = redis.call('HGET', OVERRIDES, 'revision') or ''
local function count(text)
	return tonumber(string.match(text, '^%d+')) or 0
end

local told = 'all'
if known ~= '' and string.match(record or '', '^%d+') == generation then
	local first = redis.call('ZRANGEBYSCORE', CHANGES, count(known), count(known), 'LIMIT', 0, 1)[1] or ''
	local oldest = redis.call('ZRANGE', CHANGES, 0, 0, 'WITHSCORES')[2]
	if known == revision or count(revision) > count(known) and string.sub(first, 1, #known + 1) == known .. ' ' then
		told = 'changes'
	elseif count(revision) <= count(known) or oldest and tonumber(oldest) <= count(known) then
		told = 'lost'
	end
end
if told ~= 'changes' then
	local all = redis.call('HGETALL', OVERRIDES)
	table.insert(all, 1, told)
	return all
end
local reply, seen = { told, 'revision', revision }, {}
if known ~= revision then
	for _, change in ipairs(redis.call('ZRANGEBYSCORE', CHANGES, '(' .. count(known), '+inf')) do
		local field = string.match(change, '^%S+ (.*)$')
		if field and not seen[field] then
			seen[field] = true
			reply[#reply + 1] = field
			reply[#reply + 1] = redis.call('HGET', OVERRIDES, field)
		end
	end
end
return reply
