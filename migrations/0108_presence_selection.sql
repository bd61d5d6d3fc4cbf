-- Which nodes whoever follows a workflow has selected, for the others who do.
alter table workflow_followers add column selected jsonb not null default '[]';
