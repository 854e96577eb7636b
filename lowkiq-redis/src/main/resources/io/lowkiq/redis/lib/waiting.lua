-- The follow-ups that wait in a shard, in the order of their numbers.
--@include commands

-- The epoch under which a follow-up was written.
local function epochOf(member)
	return #member >= 16 and struct.unpack('>d', member) or 0
end

-- Adds those after a number to a reply, each as the epoch under which it was written, its number, and the follow-up: at most
-- as many, and as many bytes, unless the first one is larger.
local function waitingFollowUps(reply, after, most, mostBytes)
	local found = redis.call('ZRANGEBYSCORE', FOLLOW_UPS, '(' .. exact(after), '+inf', 'WITHSCORES', 'LIMIT', '0', exact(most))
	local first, bytes = #reply, 0
	for i = 1, #found, 2 do
		bytes = bytes + #found[i]
		if #reply > first and bytes > mostBytes then
			break
		end
		reply[#reply + 1], reply[#reply + 2] = epochOf(found[i]), tonumber(found[i + 1])
		reply[#reply + 1] = string.sub(found[i], 17)
	end
	return reply
end
