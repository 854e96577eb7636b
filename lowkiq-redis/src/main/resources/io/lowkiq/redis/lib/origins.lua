-- The members of 'follow-ups' that are no follow-ups, all with negative scores: 'epoch:<shard>' and 'number:<shard>', of the
-- last follow-up that came from a shard; 'forgotten', how often such a pair was removed; and 'sent:<shard>' with the score
-- -0.5, the shards that remember follow-ups of this one.
local SENT = '-0.5'

local function positive(key, member)
	return -(tonumber(redis.call('ZSCORE', key, member) or nil) or 0)
end

-- How often the shard with this key 'follow-ups' has forgotten the last follow-up of another one.
local function forgotten(key)
	return positive(key, 'forgotten')
end

-- What the shard with this key 'follow-ups' remembers of another one: the epoch and the number of its last follow-up; if it
-- remembers none, 0 and how often it has forgotten one.
local function remembered(key, source)
	local epoch = positive(key, 'epoch:' .. source)
	return { epoch = epoch, number = epoch > 0 and positive(key, 'number:' .. source) or forgotten(key) }
end

-- Whether what is remembered includes a follow-up.
local function includes(last, epoch, number)
	return epoch < last.epoch or epoch == last.epoch and number <= last.number
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
