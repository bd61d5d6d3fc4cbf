-- Files of runs that visitors of an app started. The cards of workflows do not show them.

alter table media add column from_app boolean not null default false;
update media m set from_app = true from executions e where e.id = m.execution_id and e.trigger = 'app';
drop index media_posters;
create index media_posters on media (workflow_id, id desc)
  where workflow_id is not null and origin = 'output' and content_type like 'image/%' and not from_app;
drop index media_previews;
create index media_previews on media (workflow_id, id desc)
  where workflow_id is not null and origin = 'output' and content_type like 'video/%' and not from_app;
