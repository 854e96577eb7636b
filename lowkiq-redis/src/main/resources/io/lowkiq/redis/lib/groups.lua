-- Groups of ids that take turns. The group of an id is what stands before the first separator in it; without one, it is the
-- empty group. In a shard with groups, 'ready' is only the inbox: the calls of the owner distribute its ids, and those of
-- 'delayed' that are due, to the list of each group, and fetch from these. The sorted set 'turns' has the groups with a list
-- that isn't empty, by their accounts: the thread time that each has used, divided by its weight, as the owner says when it
-- names it or fetches of it. Groups that may start nothing by their limits have left that order: they are parked, with the
-- negative epoch of the lease, until a call names them with room. Those of an earlier lease return by themselves, a bounded
-- number a call. Groups that have their share of the owner's threads stay.
--
-- Distributing keeps the order of the elements of an id, so that the first ones are void, as 'void' counts them.
--@include commands
--@include group-of
--@include entry
--@include ready
--@include next
--@include sweep

-- What the owner says of the groups, what a call finds, and the functions: in one table, since a script has room for 200
-- variables. A call distributes at most so many ids, to so many groups, and looks at so many elements of a list for its first
-- job.
local groups = {
	named = {}, looked = {}, returning = {}, full = {},
	MAX_INBOX = 500, MAX_DUE = 250, MAX_GROUPS = 250, MAX_LOOKED_AT = 10,
}

-- Reads the argument of the owner: I4 length, the separator, '' if groups are switched off and only lists of before are to be
-- served; B 1 if jobs of groups that aren't named may be fetched; I4 how many jobs of one group may run; d the smallest account, d that
-- of groups that enter, d the time that a job is charged; I4 how many waiting groups the reply names that
-- have not got their share; and for each group that is named: I4 length, group, d its account, I4 the number of its running jobs, I4 its weight, I4 how many of its jobs may start.
function groups.read(packed)
	local position
	groups.separator, groups.others, groups.share, groups.smallest, groups.entry, groups.charge, groups.answered, position =
		struct.unpack('>I4c0BI4dddI4', packed)
	while position <= #packed do
		local group = {}
		group.name, group.account, group.running, group.weight, group.room, position =
			struct.unpack('>I4c0dI4I4I4', packed, position)
		groups.named[#groups.named + 1] = group
	end
end

-- Returns groups that were parked under an earlier lease to the order.
function groups.unpark()
	local before = '(' .. exact(-meta.epoch)
	local parked = redis.call('ZRANGEBYSCORE', TURNS, before, '(0', 'LIMIT', '0', exact(groups.MAX_GROUPS))
	groups.hasParked = #parked == groups.MAX_GROUPS
	local order = {}
	for i, name in ipairs(parked) do
		order[2 * i - 1], order[2 * i] = '0', name
	end
	inChunks('ZADD', TURNS, order)
end

-- The part of a distribution that goes to the group of an id; nil if the call has enough groups.
function groups.partOf(parts, id)
	local name = groupOf(id, groups.separator)
	local part = parts[name]
	if not part and #parts < groups.MAX_GROUPS then
		part = { name = name, key = listOf(name), front = {}, back = {} }
		parts[name], parts[#parts + 1] = part, part
	end
	return part
end

-- Whether a delayed job comes before those in the list of its group: it was due before them, as one that was put back.
function groups.isFirst(part, performAt)
	if not part.first then
		part.first = firstOf(part.key, 1, groups.MAX_LOOKED_AT, nothingPassed()).time or NEVER
	end
	return performAt <= part.first
end

-- Chooses due jobs of 'delayed', which become ready. An id with void elements gets its own one at the end of the inbox, behind
-- those. Jobs that can't be read stay, and are added to others.
function groups.chooseDue(parts, now, isDelayed, unreadable)
	local ids, times = dueIds(DELAYED, groups.MAX_DUE, now)
	local entries, void = fields(JOBS, ids), voidCounts(ids)
	local chosen = { ids = {}, written = {}, again = {} }
	for i, id in ipairs(ids) do
		local entry = entries[i]
		local isDue = entry and isDelayed(entry)
		local job = isDue and readQueued(entry) or false
		local part = job and not void[id] and groups.partOf(parts, id)
		if part == nil then
			break
		end
		if job then
			local isFront = part and groups.isFirst(part, times[i])
			local elements = not part and chosen.again or isFront and part.front or part.back
			elements[#elements + 1] = id
			job.place, job.gathers, job.notBefore = IS_READY, nil, nil
			chosen.written[#chosen.written + 1] = id
			chosen.written[#chosen.written + 1] = writeEntry(job, string.sub(entry, job.body))
		elseif isDue then
			unreadable[#unreadable + 1] = { id = id, entry = entry }
		end
		if job or not isDue then
			chosen.ids[#chosen.ids + 1] = id
		end
	end
	return chosen
end

-- Chooses ids at the head of the inbox. Returns how many there are.
function groups.chooseReady(parts)
	local ids = redis.call('LRANGE', READY, '0', exact(groups.MAX_INBOX - 1))
	for i, id in ipairs(ids) do
		local part = groups.partOf(parts, id)
		if not part then
			return i - 1
		end
		part.back[#part.back + 1] = id
	end
	return #ids
end

function groups.addToList(part, now)
	local reversed = {}
	for i = #part.front, 1, -1 do
		reversed[#reversed + 1] = part.front[i]
	end
	local _, front = inChunks('LPUSH', part.key, reversed)
	local _, back = inChunks('RPUSH', part.key, part.back)
	if isMostlyVoid(math.max(front, back)) then
		sweepReady(math.max(10, 2 * (#part.front + #part.back)), now, part.key)
	end
end

-- Distributes what is in the inbox or due to the lists of the groups: a step of its own, whatever the call finds afterwards.
-- Reads all before it writes. Due jobs that can't be read are added to others.
function groups.distribute(now, isDelayed, unreadable)
	local parts = {}
	local due = groups.chooseDue(parts, now, isDelayed, unreadable)
	local count = groups.chooseReady(parts)
	local turns = {}
	for i, part in ipairs(parts) do
		redis.call('LLEN', part.key)
		turns[#turns + 1] = exact(groups.entry + i)
		turns[#turns + 1] = part.name
	end
	if count > 0 then
		redis.call('LTRIM', READY, exact(count), '-1')
	end
	inChunks('RPUSH', READY, due.again)
	if #turns > 0 then
		redis.call('ZADD', TURNS, 'NX', unpack(turns))
	end
	-- Before the lists, since a sweep looks at the entries
	inChunks('ZREM', DELAYED, due.ids)
	inChunks('HSET', JOBS, due.written)
	for _, part in ipairs(parts) do
		groups.addToList(part, now)
	end
end

-- Whether a group comes before another: its account is smaller, or as small, and it was before it in the order.
function groups.isNext(group, other)
	if group.account ~= other.account then
		return group.account < other.account
	end
	return group.turn < other.turn or group.turn == other.turn and group.name < other.name
end

-- Moves the group at a place of a heap down to where it belongs.
function groups.sink(heap, place)
	local group = heap[place]
	while true do
		local child = 2 * place
		if child < #heap and groups.isNext(heap[child + 1], heap[child]) then
			child = child + 1
		end
		if child > #heap or not groups.isNext(heap[child], group) then
			heap[place] = group
			return
		end
		heap[place], place = heap[child], child
	end
end

function groups.removeFirst(heap)
	heap[1] = heap[#heap]
	heap[#heap] = nil
	if #heap > 0 then
		groups.sink(heap, 1)
	end
end

-- The waiting groups of which a call may choose, as a heap: those that the owner named, and the first of the others in the
-- order. Groups that may start nothing by their limits are to be parked.
function groups.waiting(wanted)
	local heap, isNamed = {}, {}
	for _, group in ipairs(groups.named) do
		isNamed[group.name] = true
		group.turn = tonumber(redis.call('ZSCORE', TURNS, group.name) or nil)
		group.isOrdered = group.turn and group.room > 0
		if group.isOrdered then
			group.turn = group.turn < 0 and group.account or group.turn
			heap[#heap + 1] = group.running < groups.share and group or nil
		elseif group.turn and group.turn ~= -meta.epoch then
			groups.full[#groups.full + 1] = group
		end
	end
	local most, found = exact(wanted + #groups.named), {}
	if wanted > 0 and groups.others == 1 and groups.share > 0 then
		found = redis.call('ZRANGEBYSCORE', TURNS, '0', '+inf', 'WITHSCORES', 'LIMIT', '0', most)
	end
	for i = 1, #found, 2 do
		if not isNamed[found[i]] then
			local turn = tonumber(found[i + 1])
			heap[#heap + 1] = {
				name = found[i], account = math.max(turn, groups.smallest), turn = turn, running = 0, weight = 1, room = math.huge,
			}
		end
	end
	for place = math.floor(#heap / 2), 1, -1 do
		groups.sink(heap, place)
	end
	return heap
end

-- Chooses jobs of the groups in turn: each time one of the group with the smallest account, which is charged for it. The lists
-- that it looks at are kept for groups.trimLists(). 'take' returns whether it takes one more.
function groups.choose(wanted, passed, wants, take)
	local heap = groups.waiting(wanted)
	local share = math.ceil(wanted / math.max(#heap, 1))
	local limit = wanted + math.ceil(MAX_VOID / math.max(#heap, 1))
	while #heap > 0 and wants() do
		local group = heap[1]
		if group.cursor then
			nextReady(group.cursor)
		else
			group.cursor = firstOf(listOf(group.name), share, limit, passed)
			groups.looked[#groups.looked + 1] = group
		end
		if group.cursor.id then
			take(group.cursor.id, group.cursor.entry)
			group.cursor.read = group.cursor.read + 1
			group.account = group.account + math.ceil(groups.charge / group.weight)
			group.running, group.room, group.isOrdered = group.running + 1, group.room - 1, group.room > 1
		end
		if group.cursor.id and group.room <= 0 then
			groups.full[#groups.full + 1] = group
		end
		if not group.cursor.id or group.room <= 0 or group.running >= groups.share then
			groups.removeFirst(heap)
		else
			groups.sink(heap, 1)
		end
	end
end

-- Drops from the lists what was passed, and groups without a list from those that wait. Writes the accounts. Parks groups that
-- may start nothing by their limits.
function groups.trimLists()
	local order, gone = {}, {}
	for _, group in ipairs(groups.looked) do
		trim(group.cursor)
		if redis.call('EXISTS', listOf(group.name)) == 0 then
			gone[#gone + 1], group.isGone = group.name, true
		elseif group.isOrdered then
			order[#order + 1], order[#order + 2] = exact(group.account), group.name
		end
	end
	for _, group in ipairs(groups.named) do
		if group.isOrdered and not group.cursor then
			order[#order + 1], order[#order + 2] = exact(group.account), group.name
		end
	end
	for _, group in ipairs(groups.full) do
		order[#order + 1], order[#order + 2] = exact(-meta.epoch), group.name
	end
	inChunks('ZADD', TURNS, order)
	inChunks('ZREM', TURNS, gone)
end

-- What the owner has to know: 1 if the inbox is to be distributed, or parked groups are to return; 1 if groups wait; how many
-- it names, and each of these with its account, the first in the order first; and the names of those that were parked. And
-- whether a group waits that has not got its share.
function groups.left()
	local inbox, any = redis.call('LLEN', READY), redis.call('ZCARD', TURNS) > 0
	local isLeft = groups.hasParked or inbox > 0 and groups.separator ~= '' and not meta.paused
	local hasShare, most = {}, groups.answered
	for _, group in ipairs(groups.named) do
		if group.running >= groups.share then
			hasShare[group.name], most = true, most + 1
		end
	end
	local found = any and redis.call('ZRANGEBYSCORE', TURNS, '0', '+inf', 'WITHSCORES', 'LIMIT', '0', exact(most)) or {}
	local answer = { isLeft and 1 or 0, any and 1 or 0, #found / 2, unpack(found) }
	for _, group in ipairs(groups.full) do
		if not group.isGone then
			answer[#answer + 1] = group.name
		end
	end
	for i = 1, #found, 2 do
		if not hasShare[found[i]] then
			return answer, true
		end
	end
	return answer, inbox > 0
end
