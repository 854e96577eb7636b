-- Gives a lease back: applies outcomes, restores the jobs that are still busy without counting a crash, and notifies all
-- nodes.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the owner's session
--       3 the owner's epoch
--       4 the sequence number of the call, larger than that of any call before
--       5 the outcomes, packed as in lib/outcomes.lua
--       6 the channel of all nodes
--       7 the shard's name
-- Returns 1 if the lease was given back; 0 if it is not current, or a later call was applied.
-- Keeps: a free shard has no busy jobs.

--@include shard
--@include owner
--@include entry
--@include morgue
--@include queue
--@include outcomes
--@include apply
--@include restore
--@include clock

assert(#ARGV == 7, 'seven arguments expected')
local now = math.floor(clock(ARGV[1]))
local epoch, sequence = assert(tonumber(ARGV[3])), assert(tonumber(ARGV[4]))

if meta.session ~= ARGV[2] or meta.epoch ~= epoch or sequence <= meta.seq then
	return { 0 }
end
local outcomes = readOutcomes(ARGV[5])
checkOutcomes(outcomes)
readAllBusy()

writeThoughFull()
local clockNow = keepDue(now)
apply(outcomes, now)
restore(redis.call('HGETALL', BUSY), nil, nil, now)
meta.session, meta.seq, meta.since, meta.wake, meta.clock = '', sequence, 0, NEVER, clockNow
writeMeta()
-- Not being allowed to is no failure
redis.pcall('PUBLISH', ARGV[6], ARGV[7])
return { 1 }
