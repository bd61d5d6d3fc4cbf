-- Outputs of runs that are not kept for ever: which runs name what another made, and previews as a kind of their own.

-- 'preview': drawn or rendered for somebody who asked to see it, by no run.
alter table media drop constraint media_origin_check;
update media set origin = 'preview' where origin = 'output' and execution_id is null;
alter table media add constraint media_origin_check check (origin in ('upload', 'output', 'input', 'preview'));
drop index media_uploads_listed;
drop index media_workspace;
create index media_listed on media (workspace, origin, id desc);
create index media_made on media (id) where origin <> 'upload';

-- Files that a run names and did not make: kept results, and what it was given. Those of its own it needs no row for.
create table media_reuses (
  media_id text not null,
  execution_id text not null,
  primary key (media_id, execution_id)
);
create index media_reuses_execution on media_reuses (execution_id);

-- The lock lets a sweep that is about to delete the file end first: the run then finds no file to name.
create function note_media_reuses(run text, content text) returns void language sql as $$
  insert into media_reuses (media_id, execution_id)
  select m.id, run from media m
  where m.id in (select named.ids[1] from regexp_matches(content, 'med_[0-9a-hjkmnp-tv-z]{26}', 'g') as named (ids))
    and m.origin <> 'upload' and m.execution_id is distinct from run
  for key share of m
  on conflict do nothing
$$;

create function note_reuses_of_steps() returns trigger language plpgsql as $$
begin
  perform note_media_reuses(new.execution_id, new.steps);
  return null;
end $$;

create function note_reuses_of_request() returns trigger language plpgsql as $$
begin
  perform note_media_reuses(new.id, new.request);
  return null;
end $$;

-- Whatever writes a run: runs without files pay for the condition alone.
create trigger note_media_reuses after insert on execution_steps
  for each row when (strpos(new.steps, 'med_') > 0) execute function note_reuses_of_steps();
create trigger note_media_reuses after insert on executions
  for each row when (strpos(new.request, 'med_') > 0) execute function note_reuses_of_request();

select note_media_reuses(execution_id, steps) from execution_steps where strpos(steps, 'med_') > 0;
select note_media_reuses(id, request) from executions where strpos(request, 'med_') > 0;
