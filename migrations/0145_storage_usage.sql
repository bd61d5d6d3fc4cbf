-- Storage by account: the bytes of its files and of its open uploads, counted in the transaction of what changes them.

-- Every new file of an account updates its row: room for that in the page keeps the update out of the index.
create table storage_usage (
  user_id integer primary key,
  bytes bigint not null
) with (fillfactor = 50);

-- The upload became a file, which is counted from then on; until then, or until it is discarded, its mint is.
alter table media_uploads add column completed_at timestamptz(3);
update media_uploads u set completed_at = now() where exists (select from media m where m.id = u.id);

-- In the order of the accounts, so that two transactions cannot wait for each other.
create function add_storage(users integer[], amounts bigint[]) returns void language sql as $$
  insert into storage_usage (user_id, bytes)
  select user_id, sum(amount)::bigint from unnest(users, amounts) as change (user_id, amount)
  group by user_id having sum(amount) <> 0 order by user_id
  on conflict (user_id) do update set bytes = storage_usage.bytes + excluded.bytes
$$;

create function count_media() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    -- Before the account: whoever changes both locks the upload first.
    update media_uploads set completed_at = now()
    where completed_at is null and id in (select id from added where origin = 'upload');
    perform add_storage(array_agg(user_id), array_agg(bytes)) from added;
  elsif tg_op = 'DELETE' then
    perform add_storage(array_agg(user_id), array_agg(-bytes)) from removed;
  else
    perform add_storage(array_agg(user_id), array_agg(bytes))
    from (select user_id, bytes from added union all select user_id, -bytes from removed) as change;
  end if;
  return null;
end $$;

create function count_uploads() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform add_storage(array_agg(user_id), array_agg(bytes)) from added;
  elsif tg_op = 'DELETE' then
    perform add_storage(array_agg(user_id), array_agg(-bytes)) from removed
    where discarded_at is null and completed_at is null;
  else
    perform add_storage(array_agg(user_id), array_agg(bytes)) from (
      select user_id, bytes from added where discarded_at is null and completed_at is null
      union all select user_id, -bytes from removed where discarded_at is null and completed_at is null
    ) as change;
  end if;
  return null;
end $$;

create trigger count_added after insert on media referencing new table as added
  for each statement execute function count_media();
create trigger count_changed after update on media referencing old table as removed new table as added
  for each statement execute function count_media();
create trigger count_removed after delete on media referencing old table as removed
  for each statement execute function count_media();
create trigger count_added after insert on media_uploads referencing new table as added
  for each statement execute function count_uploads();
create trigger count_changed after update on media_uploads referencing old table as removed new table as added
  for each statement execute function count_uploads();
create trigger count_removed after delete on media_uploads referencing old table as removed
  for each statement execute function count_uploads();

-- For data that came past the triggers: what was there before them, and what a restore brings.
create function recount_storage() returns void language sql as $$
  delete from storage_usage;
  insert into storage_usage (user_id, bytes)
  select user_id, sum(bytes)::bigint from (
    select user_id, bytes from media
    union all select user_id, bytes from media_uploads where discarded_at is null and completed_at is null
  ) as counted group by user_id
$$;

select recount_storage();
