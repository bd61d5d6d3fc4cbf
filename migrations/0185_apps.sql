-- Apps: a workflow as a form. Each run of an app is an ordinary execution that names the app as its origin.

create table apps (
  id text primary key,
  workflow_id text not null unique references workflows on delete cascade,
  slug text not null unique,
  -- Who saved the app last. Its runs are started with the rights of this user.
  user_id integer not null references users,
  is_enabled boolean not null,
  -- The version that runs; null: the current one.
  version integer,
  audience text not null check (audience in ('workspace', 'signed_in', 'anyone')),
  payer text not null check (payer in ('owner', 'visitor')),
  -- Credits; null: no limit.
  max_credits_per_run bigint,
  daily_credits bigint,
  -- Runs a visitor may start in a day (UTC); null: no limit.
  runs_per_visitor integer,
  -- JSON text of what the page shows: title, description, inputs, outputs, examples, and so on.
  settings text not null,
  -- AES-256-GCM of the key that signs the tokens of visitors of pages that embed the app.
  embed_key bytea,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index apps_of_user on apps (user_id);

-- What a visitor knows of a run. The id is a secret address, so it is not the id of the execution.
create table app_runs (
  id text primary key,
  app_id text not null references apps on delete cascade,
  execution_id text not null unique,
  -- The hash of who started it.
  visitor text not null,
  in_gallery boolean not null default false,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index app_runs_of_visitor on app_runs (app_id, visitor, created_at desc);
create index app_runs_in_gallery on app_runs (app_id, created_at desc) where in_gallery;
create index app_runs_of_day on app_runs (app_id, created_at desc);
create index app_runs_age on app_runs (expires_at);

-- Files that visitors uploaded, which are deleted after a day.
create table app_uploads (
  media_id text primary key,
  app_id text not null,
  created_at timestamptz(3) not null default now()
);
create index app_uploads_age on app_uploads (created_at);

-- Proofs of work that were used, kept until they expire.
create table app_proofs (
  challenge text primary key,
  expires_at timestamptz(3) not null
);
create index app_proofs_age on app_proofs (expires_at);

-- The app whose run it is, so that its daily credits can be added up.
alter table run_credits add column app_id text;
create index run_credits_app on run_credits (app_id, created_at) where app_id is not null;

-- A visitor who pays for a run of an app does not learn its models or who owns it.
create or replace function add_charges_to_months() returns trigger language plpgsql as $$
begin
  insert into spending_months as m (month, workspace, user_id, node_type, credits, charges)
  select date_trunc('month', a.created_at at time zone 'UTC')::date, a.workspace,
    case when e.workspace <> a.workspace then 0 else coalesce(e.user_id, 0) end,
    case when e.workspace <> a.workspace then '' else coalesce(a.node_type, '') end, sum(a.amount)::bigint, count(*)::int
  from added a left join executions e on e.id = a.execution_id
  where a.kind = 'charge'
  group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (month, workspace, user_id, node_type) do update
    set credits = m.credits + excluded.credits, charges = m.charges + excluded.charges;
  return null;
end $$;
