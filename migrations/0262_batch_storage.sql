-- What an account stores in batches and tables counts toward its storage, like its files. The size of a batch or table does
-- not change after it was inserted.

alter table batches add column bytes bigint not null default 0;
update batches b set bytes = coalesce(octet_length(b.metadata), 0) + coalesce(octet_length(b.axes), 0)
  + coalesce((select sum(octet_length(r.inputs) + coalesce(octet_length(r.config), 0) + coalesce(octet_length(r.shared), 0))
      from batch_rows r where r.batch_id = b.id), 0)
  + coalesce((select sum(octet_length(v.value)) from batch_values v where v.batch_id = b.id), 0);
update tables set bytes = bytes + octet_length(columns) + octet_length(sample) + octet_length(problems);

create function count_stored() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform add_storage(array_agg(user_id), array_agg(bytes)) from added;
  else
    perform add_storage(array_agg(user_id), array_agg(-bytes)) from removed;
  end if;
  return null;
end $$;

create trigger count_added after insert on batches referencing new table as added
  for each statement execute function count_stored();
create trigger count_removed after delete on batches referencing old table as removed
  for each statement execute function count_stored();
create trigger count_added after insert on tables referencing new table as added
  for each statement execute function count_stored();
create trigger count_removed after delete on tables referencing old table as removed
  for each statement execute function count_stored();

select add_storage(array_agg(user_id), array_agg(bytes))
from (select user_id, bytes from batches union all select user_id, bytes from tables) as stored;

create or replace function recount_storage() returns void language sql as $$
  delete from storage_usage;
  insert into storage_usage (user_id, bytes)
  select user_id, sum(bytes)::bigint from (
    select user_id, bytes from media
    union all select user_id, bytes from media_uploads where discarded_at is null and completed_at is null
    union all select user_id, bytes from batches
    union all select user_id, bytes from tables
  ) as counted group by user_id
$$;
