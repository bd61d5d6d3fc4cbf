-- A daily budget of a workspace: what its runs may cost together in a day (UTC), in credits.

alter table credit_pools add column daily_budget bigint check (daily_budget >= 0);

-- What the runs of a day cost a workspace.
create index run_credits_workspace on run_credits (workspace, created_at);
