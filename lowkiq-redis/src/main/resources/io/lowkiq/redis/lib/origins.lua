-- The members of 'follow-ups' that are no follow-ups, all with negative scores: 'epoch:<shard>' and 'number:<shard>', of the
-- last follow-up that came from a shard; 'forgotten', how often such a pair was removed; and 'sent:<shard>' with the score
-- -0.5, the shards that remember follow-ups of this one.
local SENT = '-0.5'

-- The epoch and the number of the last follow-up of a shard; 0 if there is none.
local function lastFollowUp(source)
	return {
		epoch = -(tonumber(redis.call('ZSCORE', FOLLOW_UPS, 'epoch:' .. source) or nil) or 0),
		number = -(tonumber(redis.call('ZSCORE', FOLLOW_UPS, 'number:' .. source) or nil) or 0),
	}
end

-- How often the last follow-up of a shard was forgotten.
local function forgotten()
	return -(tonumber(redis.call('ZSCORE', FOLLOW_UPS, 'forgotten') or nil) or 0)
end

-- The members for packed names of shards, each: I4 length, name.
local function sentTo(packed)
	local members, position, name = {}, 1, nil
	while position <= #packed do
		name, position = struct.unpack('>I4c0', packed, position)
		members[#members + 1] = 'sent:' .. name
	end
	return members
end
