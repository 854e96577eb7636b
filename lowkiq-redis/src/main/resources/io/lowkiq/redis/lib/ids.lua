-- Packed ids.

-- Reads packed ids: I4 length, id; each.
local function readIds(packed)
	local ids, position = {}, 1
	while position <= #packed do
		ids[#ids + 1], position = struct.unpack('>I4c0', packed, position)
	end
	return ids
end
