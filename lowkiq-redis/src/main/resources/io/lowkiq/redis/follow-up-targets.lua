-- Names the shards that remember follow-ups of this one, so that they can forget them. For a shard in which none waits, or
-- that is closed.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the owner's session
--       3 the owner's epoch
--       4 shards that have forgotten them, packed as in lib/origins.lua
--       5 the maximum number of shards to return
-- Returns the names of the others; nothing if there are no more, or if the shard is open and a follow-up waits or the lease
-- is not current (I6).
-- Keeps: a shard is named until it has forgotten.

--@include shard
--@include commands
--@include owner
--@include origins

assert(#ARGV == 5, 'five arguments expected')
local epoch, done = assert(tonumber(ARGV[3])), sentTo(ARGV[4])
local isOwner = meta.session == ARGV[2] and meta.epoch == epoch
if not meta.closed and (not isOwner or redis.call('ZCOUNT', FOLLOW_UPS, '(0', '+inf') > 0) then
	return {}
end
local members = redis.call('ZRANGEBYSCORE', FOLLOW_UPS, SENT, SENT, 'LIMIT', '0', exact(ARGV[5] + #done))
local isDone, names = {}, {}
for _, member in ipairs(done) do
	isDone[member] = true
end
for _, member in ipairs(members) do
	if not isDone[member] then
		names[#names + 1] = string.sub(member, 6)
	end
end

writeThoughFull()
inChunks('ZREM', FOLLOW_UPS, done)
return names
