-- Replaces the first payload of a dead job by another one, which gets its score.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the id
--       3 the first payload as the caller knows it
--       4 what takes its place
-- Returns 1 if it was replaced; 0 if there is no such job, or it begins with another payload.
-- Keeps: the payloads of a job are distinct; an equal one keeps the smaller score.

--@include shard
--@include entry
--@include morgue
--@include edit

assert(#ARGV == 4, 'four arguments expected')

readMeta()
local isDead = redis.call('HGET', MORGUE, ARGV[2])
return { isDead and replaceFirst(deadPayloadsOf(ARGV[2]), ARGV[3], ARGV[4]) and 1 or 0 }
