-- Versions that an editor saved by itself: of consecutive ones, the last is shown.

-- The session or key that saved it by itself; null: somebody saved it, or nothing may follow in its place.
alter table workflow_versions add column autosaved_by text;
-- When the first of these consecutive ones was saved.
alter table workflow_versions add column autosave_began_at timestamptz(3);
-- No execution of this version has an id below it.
alter table workflow_versions add column runs_from_id text;
-- Since when a later one stands in its place. The row is removed soon after, unless a run was accepted meanwhile.
alter table workflow_versions add column superseded_at timestamptz(3);
create index workflow_versions_superseded on workflow_versions (workflow_id, superseded_at)
  where superseded_at is not null;
