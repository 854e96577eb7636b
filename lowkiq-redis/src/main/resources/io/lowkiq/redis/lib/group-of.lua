-- The group of an id.

-- What stands before the first separator in an id; '' without one.
local function groupOf(id, separator)
	local first = string.find(id, separator, 1, true)
	return first and string.sub(id, 1, first - 1) or ''
end
