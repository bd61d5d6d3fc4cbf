-- The audit log: one row for each action that people must be able to account for. Rows are only added. The partitions
-- are months, by the time with which an id begins; retention drops whole ones.
create table audit_events (
  id text not null,
  at timestamptz(3) not null,
  -- Null for the service itself and for people who did not sign in. No foreign key: the log outlives its subjects.
  user_id integer,
  via text not null,
  -- The API key, or the connection of an OAuth client.
  key_id text,
  action text not null,
  -- The id of what was changed; `user:7` for a user.
  target text,
  -- The name of the target at the time, unless it is a user, whose name may have to be forgotten.
  target_name text,
  -- The team whose owners may read the row.
  team_id text,
  before json,
  after json,
  address text,
  request_id text,
  primary key (id)
) partition by range (id);

-- Pages are read by one of these, newest first (store/audit/list-audit.ts).
create index audit_events_user on audit_events (user_id, id);
create index audit_events_action on audit_events (action, id);
create index audit_events_target on audit_events (target, id) where target is not null;
create index audit_events_team on audit_events (team_id, id) where team_id is not null;

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'The audit log is append-only: its rows cannot be changed or deleted.'
    using errcode = 'insufficient_privilege';
end $$;

create trigger refuse_change before update or delete on audit_events
  for each row execute function refuse_audit_change();
create trigger refuse_truncate before truncate on audit_events
  for each statement execute function refuse_audit_change();

-- Takes what no other partition takes. The others are made ahead of time, so it is nearly always empty.
create table audit_events_rest partition of audit_events default;
create trigger refuse_truncate before truncate on audit_events_rest
  for each statement execute function refuse_audit_change();

-- An owner can lack rights on its own table. Superusers need none, so the triggers refuse them.
revoke update, delete, truncate on audit_events, audit_events_rest from public, current_user;

-- The functions run with the rights of their owner, so that the table may belong to another role than the service's.

-- Adds a partition. Rows that no partition took become part of it, without being moved.
create function add_audit_partition(partition_name text, from_id text, to_id text) returns void
language plpgsql security definer set search_path from current set lock_timeout = '1s' as $$
declare
  rest_has_rows boolean;
begin
  if partition_name !~ '^audit_events_[0-9]{6}$' then
    raise exception 'Not the name of a partition of the audit log: %', partition_name;
  end if;
  select exists (select from audit_events_rest) into rest_has_rows;
  if rest_has_rows then
    alter table audit_events detach partition audit_events_rest;
    execute format('alter table audit_events_rest rename to %I', partition_name);
  else
    execute format('create table %I (like audit_events including defaults)', partition_name);
    execute format('create trigger refuse_truncate before truncate on %I
      for each statement execute function refuse_audit_change()', partition_name);
    execute format('revoke update, delete, truncate on %I from public, current_user', partition_name);
  end if;
  execute format('alter table audit_events attach partition %I for values from (%L) to (%L)',
    partition_name, from_id, to_id);
  if rest_has_rows then
    create table audit_events_rest partition of audit_events default;
    create trigger refuse_truncate before truncate on audit_events_rest
      for each statement execute function refuse_audit_change();
    revoke update, delete, truncate on audit_events_rest from public, current_user;
  end if;
end $$;

-- Drops a partition, but none with a row of the last 30 days.
create function drop_audit_partition(partition_name text) returns boolean
language plpgsql security definer set search_path from current set lock_timeout = '1s' as $$
declare
  newest timestamptz;
begin
  if partition_name !~ '^audit_events_[0-9]{6}$' then
    raise exception 'Not the name of a partition of the audit log: %', partition_name;
  end if;
  if to_regclass(partition_name) is null then
    return false;
  end if;
  execute format('select max(at) from %I', partition_name) into newest;
  if newest > now() - interval '30 days' then
    return false;
  end if;
  execute format('drop table %I', partition_name);
  return true;
end $$;

revoke execute on function add_audit_partition, drop_audit_partition from public;
