-- The versions of components that a run executes where it calls the latest one.

-- JSON object: workflow id → the version that was current when the run was accepted. Null: the run takes no latest version.
alter table executions add column if not exists components jsonb;
-- For the cleanup of versions, which keeps those that runs execute.
create index executions_components on executions using gin (components jsonb_path_ops) where components is not null;
