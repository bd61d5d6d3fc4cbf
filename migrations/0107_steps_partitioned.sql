-- Node states by ranges of their execution's id, which begins with its time: old ones go by the partition. No row is
-- copied, and none is read again: the check of 0105 says that the old table fits its range. Writers wait a moment.

drop trigger note_media_reuses on execution_steps;
alter table execution_steps rename to execution_steps_before;
alter index execution_steps_pkey rename to execution_steps_before_pkey;

create table execution_steps (
  like execution_steps_before including defaults including storage,
  primary key (execution_id, seq)
) partition by range (execution_id);

do $$
begin
  execute format(
    'alter table execution_steps attach partition execution_steps_before for values from (minvalue) to (%L)',
    (select substring(pg_get_constraintdef(oid) from 'ex_[0-9a-z]{10}') from pg_constraint
     where conname = 'execution_steps_before' and conrelid = 'execution_steps_before'::regclass));
end $$;

-- What no other partition takes. The others are made ahead of time, so it is nearly empty.
create table execution_steps_rest partition of execution_steps default;

create trigger note_media_reuses after insert on execution_steps
  for each row when (strpos(new.steps, 'med_') > 0) execute function note_reuses_of_steps();
