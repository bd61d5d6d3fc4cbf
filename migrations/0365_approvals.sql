-- Decisions that nodes wait for, so that they can be listed, and the people who are asked for them.

create table approvals (
  id text collate "C" primary key,
  execution_id text collate "C" not null,
  node_id text not null,
  workflow_id text not null,
  workspace text not null,
  -- Who started the run.
  user_id integer not null references users on delete cascade,
  label text not null,
  -- JSON text of the node's settings, and of the value that waits, shortened if it is long.
  request text not null,
  value text not null,
  status text not null default 'waiting'
    check (status in ('waiting', 'approved', 'rejected', 'expired', 'cancelled')),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  -- Null until the job has notified the assignees.
  notified_at timestamptz(3),
  reminders_sent integer not null default 0,
  decided_at timestamptz(3),
  -- JSON text: who decided, and the comment.
  decision text,
  unique (execution_id, node_id)
);

create table approval_assignees (
  approval_id text collate "C" not null references approvals on delete cascade,
  position integer not null,
  user_id integer references users on delete cascade,
  email text,
  -- Copied from the approval, for the index.
  is_waiting boolean not null default true,
  mail text not null default 'none' check (mail in ('none', 'queued', 'limited')),
  primary key (approval_id, position),
  check (user_id is not null or email is not null)
);
create index approval_assignees_user on approval_assignees (user_id, is_waiting, approval_id);

-- Links with which people decide without an account. They work as long as the approval waits.
create table approval_links (
  token_hash bytea primary key,
  approval_id text collate "C" not null references approvals on delete cascade,
  position integer not null,
  created_at timestamptz(3) not null
);
create index approval_links_approval on approval_links (approval_id);

do $$
declare definition text := (select pg_get_constraintdef(oid) from pg_constraint where conname = 'notices_kind_check');
begin
  alter table notices drop constraint notices_kind_check;
  execute 'alter table notices add constraint notices_kind_check '
    || replace(definition, 'ARRAY[', 'ARRAY[''approval_waiting''::text, ');
end $$;
