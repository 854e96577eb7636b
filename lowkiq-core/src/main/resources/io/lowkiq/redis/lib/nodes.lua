-- The sessions of the nodes.
--   live   session -> the time after which it has ended
--   info   session -> d duration in milliseconds, d order of joining, what its node tells of itself
--   ended  session -> the time after which it is forgotten
--   assignment  a hash: version; table, the text of the assignment; joined, how many have joined
local LIVE, INFO, ENDED, ASSIGNMENT = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
assert(ASSIGNMENT and not KEYS[5], 'four keys expected')

-- So many durations of a session it is known that it has ended: far longer than a node needs to notice.
local KEPT_DURATIONS = 10

local function clock(given)
	if given ~= '' then
		return math.floor(assert(tonumber(given), 'not a time'))
	end
	local time = redis.call('TIME')
	return time[1] * 1000 + math.floor(time[2] / 1000)
end

local function exact(number)
	return string.format('%.17g', number)
end

-- What was read: of the living sessions id -> { ends, info }, and both kinds in their order.
local sessions, living, ended = {}, {}, {}

local function finish(session, now)
	local info = sessions[session].info
	local duration = info and #info >= 8 and struct.unpack('>d', info) or 0
	sessions[session] = nil
	ended[#ended + 1] = session
	redis.call('ZREM', LIVE, session)
	redis.call('HDEL', INFO, session)
	redis.call('ZADD', ENDED, exact(now + KEPT_DURATIONS * duration), session)
end

-- Reads the sessions, and ends those whose time is over: they never live again.
local function load(now)
	local ends = redis.call('ZRANGE', LIVE, 0, -1, 'WITHSCORES')
	for i = 1, #ends, 2 do
		living[#living + 1] = ends[i]
	end
	local infos = #living > 0 and redis.call('HMGET', INFO, unpack(living)) or {}
	local kept = redis.call('ZRANGE', ENDED, 0, -1, 'WITHSCORES')
	for i = 1, #kept, 2 do
		if tonumber(kept[i + 1]) >= now then
			ended[#ended + 1] = kept[i]
		end
	end
	if 2 * #ended < #kept then
		redis.call('ZREMRANGEBYSCORE', ENDED, '-inf', '(' .. exact(now))
	end
	for i, session in ipairs(living) do
		sessions[session] = { ends = tonumber(ends[2 * i]), info = infos[i] }
		if sessions[session].ends < now then
			finish(session, now)
		end
	end
end

local function hasEnded(session)
	for _, other in ipairs(ended) do
		if other == session then
			return true
		end
	end
	return false
end

-- The place of a session in the order of joining.
local function orderOf(info)
	if info and #info >= 16 then
		return (struct.unpack('>d', info, 9))
	end
	return redis.call('HINCRBY', ASSIGNMENT, 'joined', 1)
end

local function prolong(session, duration, told, now)
	local known = sessions[session]
	local info = struct.pack('>dd', duration, orderOf(known and known.info)) .. told
	if not known then
		living[#living + 1] = session
	end
	if not known or known.info ~= info then
		redis.call('HSET', INFO, session, info)
	end
	redis.call('ZADD', LIVE, exact(now + duration), session)
	sessions[session] = { ends = now + duration, info = info }
end

-- Tells all nodes that something has changed; not a script's failure if it may not.
local function tell(channel, text)
	redis.pcall('PUBLISH', channel, text)
end

-- Whether the session is held, now, the number of living sessions, of each its id, end, order and info; version and
-- table of the assignment; the ended sessions.
local function membership(held, now)
	local reply, count = { held and 1 or 0, now, 0 }, 0
	for i, session in ipairs(living) do
		local known = sessions[session]
		if known then
			count = count + 1
			local info = known.info or ''
			reply[#reply + 1] = session
			reply[#reply + 1] = known.ends
			reply[#reply + 1] = #info >= 16 and (struct.unpack('>d', info, 9)) or -i
			reply[#reply + 1] = string.sub(info, 17)
		end
	end
	reply[3] = count
	local assigned = redis.call('HMGET', ASSIGNMENT, 'version', 'table')
	reply[#reply + 1] = tonumber(assigned[1]) or 0
	reply[#reply + 1] = assigned[2] or ''
	for _, session in ipairs(ended) do
		reply[#reply + 1] = session
	end
	return reply
end
