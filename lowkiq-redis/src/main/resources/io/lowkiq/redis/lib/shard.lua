-- The beginning of every script that changes a shard: its keys, and its meta data, which is read here. If a newer version has
-- written it, nobody here can tell who owns the shard and what is in it: the script ends before it has done anything.
--@include keys
--@include meta

if meta.newer then
	error('LOWKIQ NEWER ' .. string.match(META, '.*{(.-)}'), 0)
end
