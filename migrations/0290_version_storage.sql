-- The graph of each version of a workflow counts toward the storage of its author until the version is deleted. A graph
-- never changes.

create or replace function recount_storage() returns void language sql as $$
  delete from storage_usage;
  insert into storage_usage (user_id, bytes)
  select user_id, sum(bytes)::bigint from (
    select user_id, bytes from media
    union all select user_id, bytes from media_uploads where discarded_at is null and completed_at is null
    union all select user_id, bytes from batches
    union all select user_id, bytes from tables
    union all select user_id, octet_length(graph) from workflow_versions
  ) as counted group by user_id
$$;

create function count_version() returns trigger language plpgsql as $$
begin
  perform add_storage(array[new.user_id], array[octet_length(new.graph)]::bigint[]);
  return null;
end $$;

create function count_deleted_versions() returns trigger language plpgsql as $$
begin
  perform add_storage(array_agg(user_id), array_agg(-octet_length(graph)::bigint)) from removed;
  return null;
end $$;

-- Deferred, so that a transaction that saves a graph does not keep the uploads of its account waiting, and takes no other
-- lock while it holds the one of the account. All versions that a transaction adds have the same author.
create constraint trigger count_added after insert on workflow_versions deferrable initially deferred
  for each row execute function count_version();
-- The versions that a statement deletes may have many authors, so it locks their accounts in order. A transaction that
-- deletes versions must not add any and must end with that statement.
create trigger count_removed after delete on workflow_versions referencing old table as removed
  for each statement execute function count_deleted_versions();

-- Other processes may store files meanwhile, so their counts are kept.
select add_storage(array_agg(user_id), array_agg(bytes))
from (select user_id, octet_length(graph)::bigint as bytes from workflow_versions) as stored;

-- For the daily deletion of the versions of deleted workflows.
create index workflows_deleted on workflows (id) where deleted_at is not null;
