-- Takes the lease of a shard and restores its busy jobs (rule 8, I6).
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the session that asks for the lease
--       3 the session from which it may take the lease over, or ''. If that is the session that asks, it wants no free
--         shard, but one that it may hold without knowing
--       4 '1' if that session crashed: its busy jobs count one more crash
--       5 the largest epoch that the asking node knows of, or 0; for the current holder, the epoch of its lease
--       6 the sequence number of a call under that lease whose fate is not known, or 0. If the call before it is the last
--         one that was applied, busy jobs stay busy
--       7 the maximum number of crashes: a job that counts more is buried
--       8 the error of such a job
--       9 the owner's gathering policy, packed as in lib/meta.lua, or ''
--      10 what the channel of each session begins with
--      11 the shard's name
-- Returns 0, the holder, and its epoch if another session holds the shard; 2, the epoch of the closing, and now if it is
-- closed, or has no 'meta'; 3 if it is free, and no free one is wanted; else 1, the epoch, the number of restored jobs, 1 if
-- busy jobs stayed busy, when the next job is due and the next suspect, now, and the largest number of a waiting follow-up;
-- -1 if none waits, but other shards remember some; 0 otherwise; the last call that the shard knew of before, as in
-- lib/meta.lua; and the largest account of the groups that wait, or nil if none does (lib/groups.lua).
-- Keeps: only a caller that names the current epoch learns whether its call was applied. The epoch grows with every lease,
-- and an epoch that a failover forgot is not given again, not even by a slower clock: it counts microseconds, grows by an
-- arbitrary amount, and is larger than any that the asking node knows of, and than that under which a group was parked. The
-- owner is woken by any job, so that an owner whose call was applied late asks, and learns that its lease has another epoch.
-- A call opens no shard that was removed, nor one that Redis has forgotten: its queue may have another generation by now.
-- The holder is woken if another session is refused: a failover may have forgotten that the holder released the shard.

--@include shard
--@include owner
--@include entry
--@include morgue
--@include queue
--@include ready
--@include next
--@include restore
--@include clock

assert(#ARGV == 11, 'eleven arguments expected')
local time = clock(ARGV[1])
local now, micros = math.floor(time), math.floor(time * 1000 + 0.5)
local session, from = ARGV[2], ARGV[3]
local epoch, uncertain, maxCrashes = assert(tonumber(ARGV[5])), assert(tonumber(ARGV[6])), assert(tonumber(ARGV[7]))
assert(session ~= '', 'a session has a name')

local holder = meta.session
if holder == '' and from == session then
	return { 3 }
end
if meta.closed or meta.isMissing then
	return { 2, meta.epoch, now }
end
if holder ~= '' and holder ~= session and holder ~= from then
	-- Not being allowed to is no failure
	redis.pcall('PUBLISH', ARGV[10] .. holder, ARGV[11])
	return { 0, holder, meta.epoch }
end
local lastEpoch, lastSeq, lastClock = meta.epoch, meta.seq, meta.clock
local lastParked = -(tonumber(redis.call('ZRANGE', TURNS, '0', '0', 'WITHSCORES')[2] or nil) or 0)
local kept = holder == session and epoch == meta.epoch and uncertain == meta.seq + 1
local crashed = ARGV[4] == '1' and holder ~= '' and holder == from
local busy = kept and {} or readAllBusy()
local policy = ARGV[9] ~= '' and assert(readPolicy(ARGV[9], 1), 'not a policy') or nil
local ready, last = firstReady(1), redis.call('ZREVRANGE', TURNS, '0', '0', 'WITHSCORES')[2]
meta.moving = meta.moving or isAnyParked()
local lastFollowUp = tonumber(redis.call('ZREVRANGE', FOLLOW_UPS, '0', '0', 'WITHSCORES')[2] or nil) or 0

writeThoughFull()
-- What waits does so by the policy of the owner before
local clockNow = keepDue(now)
meta.policy = policy
if not policy or policy.minInterval == 0 then
	redis.call('UNLINK', RESTING)
end
local restored = kept and 0 or restore(busy, crashed and maxCrashes or nil, ARGV[8], now)
meta.session, meta.seq, meta.since = session, 0, now
meta.epoch = math.max(math.max(meta.epoch, epoch, lastParked) + 1 + micros % 1000000, micros)
meta.wake, meta.clock = math.huge, clockNow
writeMeta()
local nextTime = nextDue(ready.time or ready.more or last, now)
return { 1, meta.epoch, restored, kept and 1 or 0, nextTime or false, nextSuspect() or false, now,
	lastFollowUp > 0 and lastFollowUp or lastFollowUp > -1 and lastFollowUp < 0 and -1 or 0, lastEpoch, lastSeq, lastClock,
	last and math.max(0, math.floor(tonumber(last))) or false }
