-- For processes of the previous version, which may run beside this one: they ignore drafts, which are paused until they are
-- published, and cannot start rows whose long values they would leave out.
create index batches_drafts on batches (workspace) where draft_until is not null;

-- Whether the process that claimed the row adds the long values.
alter table batch_rows add column adds_values boolean not null default false;

create function refuse_claim() returns trigger language plpgsql as $$
begin
  raise exception 'A newer version of the service must start this row of the batch.';
end $$;
create trigger needs_values before update of status on batch_rows for each row
  when (old.status = 'waiting' and new.status = 'running' and new.shared is not null and not new.adds_values)
  execute function refuse_claim();
