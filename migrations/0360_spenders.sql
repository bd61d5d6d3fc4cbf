-- Who spends credits: the member of a team and the API key that started a run, and their monthly limits.

alter table team_members add column monthly_credits bigint check (monthly_credits >= 0);
alter table api_keys add column monthly_credits bigint check (monthly_credits >= 0);

-- Null: before this was recorded. An empty key: the run was not started with an API key.
alter table run_credits add column user_id integer;
alter table run_credits add column key_id text;
alter table credit_entries add column user_id integer;
alter table credit_entries add column key_id text;
-- Of charges. An empty credential: none was used.
alter table credit_entries add column provider text;
alter table credit_entries add column credential_id text;
alter table credential_charges add column user_id integer;
alter table credential_charges add column key_id text;

-- The key with which a batch was created, which its rows spend for.
alter table batches add column key_id text;

-- What the runs that were accepted in a month cost by spender. It equals the sums of the entries of these runs.
create table spender_months (
  -- First day of the month (UTC).
  month date not null,
  -- The workspace that pays.
  workspace text not null,
  user_id integer not null,
  key_id text not null,
  -- Charged and reserved.
  spent bigint not null,
  charged bigint not null,
  primary key (month, workspace, user_id, key_id)
) with (fillfactor = 70);
create index spender_months_key on spender_months (key_id, month) where key_id <> '';

-- The caller has locked the pools of the workspaces, so two transactions never add to the same rows at once.
create function add_to_spender_months() returns trigger language plpgsql as $$
begin
  insert into spender_months as m (month, workspace, user_id, key_id, spent, charged)
  select date_trunc('month', r.created_at at time zone 'UTC')::date, a.workspace, a.user_id, a.key_id,
    sum(case a.kind when 'hold' then a.amount when 'release' then -a.amount else 0 end)::bigint,
    sum(case a.kind when 'charge' then a.amount else 0 end)::bigint
  from added a join run_credits r on r.execution_id = a.execution_id
  where a.kind in ('hold', 'charge', 'release') and a.user_id is not null and a.key_id is not null
  group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (month, workspace, user_id, key_id) do update
    set spent = m.spent + excluded.spent, charged = m.charged + excluded.charged;
  return null;
end $$;

create trigger add_to_spenders after insert on credit_entries referencing new table as added
  for each statement execute function add_to_spender_months();

-- The shares of a limit of which the spender was notified in a month, so that each is told once.
create table limit_notices (
  month date not null,
  -- The id of a key, or the team and the user.
  owner text not null,
  percent integer not null,
  primary key (month, owner, percent)
);

-- Keeps the kinds that other migrations have added.
do $$
declare
  definition text;
begin
  select pg_get_constraintdef(oid) into strict definition from pg_constraint
  where conrelid = 'notices'::regclass and conname = 'notices_kind_check';
  alter table notices drop constraint notices_kind_check;
  execute 'alter table notices add constraint notices_kind_check '
    || replace(definition, 'ARRAY[', 'ARRAY[''credit_limit''::text, ');
end $$;
