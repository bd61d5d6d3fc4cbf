-- Runs listed by workspace and over the instance, the models that runs use, and spending by month.

create index executions_workspace_status on executions (workspace, status, id collate "C" desc);
create index executions_status on executions (status, id collate "C" desc);

-- The paid node types that an accepted run may call. Runs without any have no row.
create table run_models (
  execution_id text not null,
  model text not null,
  primary key (execution_id, model)
);
create index run_models_model on run_models (model, execution_id collate "C" desc);

-- For earlier runs, only charged models are known.
insert into run_models (execution_id, model)
select distinct c.execution_id, c.node_type
from credit_entries c join executions e on e.id = c.execution_id
where c.kind = 'charge' and c.node_type is not null;

-- The sum of all charges. It keeps the overview fast with millions of entries.
create table spending_months (
  -- First day of the month (UTC).
  month date not null,
  workspace text not null,
  -- Who started the runs; 0: unknown, because the run was deleted before this table existed.
  user_id integer not null,
  -- Empty: charged before the type was recorded.
  node_type text not null,
  credits bigint not null,
  charges integer not null,
  primary key (month, workspace, user_id, node_type)
) with (fillfactor = 70);

-- The caller has locked the pools of the workspaces, so two transactions never add to the same rows at once.
create function add_charges_to_months() returns trigger language plpgsql as $$
begin
  insert into spending_months as m (month, workspace, user_id, node_type, credits, charges)
  select date_trunc('month', a.created_at at time zone 'UTC')::date, a.workspace, coalesce(e.user_id, 0),
    coalesce(a.node_type, ''), sum(a.amount)::bigint, count(*)::int
  from added a left join executions e on e.id = a.execution_id
  where a.kind = 'charge'
  group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (month, workspace, user_id, node_type) do update
    set credits = m.credits + excluded.credits, charges = m.charges + excluded.charges;
  return null;
end $$;

create trigger add_charges after insert on credit_entries referencing new table as added
  for each statement execute function add_charges_to_months();

insert into spending_months (month, workspace, user_id, node_type, credits, charges)
select date_trunc('month', c.created_at at time zone 'UTC')::date, c.workspace, coalesce(e.user_id, 0),
  coalesce(c.node_type, ''), sum(c.amount)::bigint, count(*)::int
from credit_entries c left join executions e on e.id = c.execution_id
where c.kind = 'charge'
group by 1, 2, 3, 4;
