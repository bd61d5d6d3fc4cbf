-- Notices tell users what happened while nobody was watching. The same cause is told once until the notice is read.

create table notices (
  -- The recipients of a notice share its id.
  id text not null,
  user_id integer not null references users on delete cascade,
  -- Null: it is about the instance.
  workspace text,
  kind text not null check (kind in ('schedule_paused', 'trigger_paused', 'app_out_of_order', 'credits_low',
    'storage_high', 'credential_failed', 'batch_stopped')),
  -- The id of what it is about.
  cause text not null,
  title text not null,
  text text not null,
  link text,
  created_at timestamptz(3) not null default now(),
  read_at timestamptz(3),
  primary key (user_id, id)
);
create unique index notices_unread on notices (user_id, kind, cause) where read_at is null;
create index notices_age on notices (created_at);
create index notices_workspace on notices (workspace);

-- Below it, the owners are told that their credits run out: a tenth of the credits after the last grant.
alter table credit_pools add column low_below bigint not null default 0;
update credit_pools set low_below = (balance + held) / 10;
