-- The sessions of the nodes, all in one hash: a script with one key works while Redis Cluster moves its slot. Its fields:
--   revision        grows with each change that is more than a heartbeat
--   members         the living sessions in the order of joining: I4 length, session; each
--   ended           the sessions that ended last: I4 length, session, B whether its busy jobs count a crash; each
--   i:<session>     the node's description of itself: B form, B whether it is stopping, and more
--   beats:<session> how many heartbeats were counted
--   seen:<session>  when the last heartbeat was counted, for people only
--   report:<session> what the node does at the moment, for people only
--   last:<session>  the last report of a session that ended by a crash, as long as it is described
--   past            the last of these, described: I4 length, session, I4 length, description, d when, B whether
--                   another node ended it before it was stopped; each
--   forgotten:<degree> a loss of data that a node has noticed, for people only
--   version         the version of the assignment
--   a:<session>     the shards that are assigned to a session
local NODES = KEYS[1]
assert(#KEYS == 1, 'one key expected')

-- Maximum number of ended sessions that are remembered.
local MAX_ENDED = 1000

-- The sessions. 'ended' has, in turn, a session and whether its busy jobs count a crash, 1 or 0.
local members, ended, revision, version = {}, {}, 0, 0

-- Maximum number of them that are described to people.
local MAX_DESCRIBED = 20

local function readNodes()
	local values, position = redis.call('HMGET', NODES, 'revision', 'members', 'ended', 'version'), 1
	revision, version = tonumber(values[1]) or 0, tonumber(values[4]) or 0
	while values[2] and position <= #values[2] do
		members[#members + 1], position = struct.unpack('>I4c0', values[2], position)
	end
	position = 1
	while values[3] and position <= #values[3] do
		ended[#ended + 1], ended[#ended + 2], position = struct.unpack('>I4c0B', values[3], position)
	end
end

-- The time in milliseconds: the given text, or Redis' own where it is ''.
local function timeOf(given)
	local time = redis.call('TIME')
	return tonumber(given) or time[1] * 1000 + math.floor(time[2] / 1000)
end

-- The place of a value in a list; nil if it is not there.
local function indexOf(list, value)
	for i, other in ipairs(list) do
		if other == value then
			return i
		end
	end
	return nil
end

-- When its memory is full, Redis refuses the first write of a script if it may need memory, but not those that follow.
local function writeThoughFull()
	redis.call('PERSIST', NODES)
end

-- The packed sessions that ended last, with one more; and the set of them. Sessions that can't be read are forgotten.
local function past(former, session, info, now, crashed)
	local entries, sessions, position = {}, {}, 1
	while position <= #former do
		local read, name, _, _, _, following = pcall(struct.unpack, '>I4c0I4c0dB', former, position)
		if not read then
			break
		end
		entries[#entries + 1], sessions[#sessions + 1] = string.sub(former, position, following - 1), name
		position = following
	end
	entries[#entries + 1] = struct.pack('>I4', #session) .. session .. struct.pack('>I4', #info) .. info
		.. struct.pack('>dB', now, crashed)
	sessions[#sessions + 1] = session
	local first, described = math.max(1, #entries - MAX_DESCRIBED + 1), {}
	for i = first, #sessions do
		described[sessions[i]] = true
	end
	return table.concat(entries, '', first), described
end

-- Writes the living sessions under the next revision.
local function saveMembers()
	local packed = {}
	for i, session in ipairs(members) do
		packed[i] = struct.pack('>I4', #session) .. session
	end
	revision = revision + 1
	redis.call('HSET', NODES, 'revision', string.format('%.0f', revision), 'members', table.concat(packed))
end

-- Publishes a message as the last step of a script. A missing permission is no failure.
local function publish(channel, text)
	redis.pcall('PUBLISH', channel, text)
end

-- The reply: 1 if the asking session lives, the revision, the version of the assignment, 1 if descriptions follow, the
-- number of members, and the session and the heartbeats of each. Unless the caller knows this revision, the description of
-- each node and the ended sessions follow.
local function membership(held, known)
	local all, names = tonumber(known) ~= revision, {}
	local reply = { held and 1 or 0, revision, version, all and 1 or 0, #members }
	for i, session in ipairs(members) do
		names[i] = 'beats:' .. session
	end
	local beats = #names > 0 and redis.call('HMGET', NODES, unpack(names)) or {}
	for i, session in ipairs(members) do
		reply[#reply + 1] = session
		reply[#reply + 1] = tonumber(beats[i]) or 0
	end
	for _, session in ipairs(all and members or {}) do
		reply[#reply + 1] = redis.call('HGET', NODES, 'i:' .. session) or ''
	end
	for _, value in ipairs(all and ended or {}) do
		reply[#reply + 1] = value
	end
	return reply
end
