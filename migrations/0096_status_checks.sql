-- The closed sets that had no check yet. Rows that are there are checked by the next migration, without a lock on writers.

alter table executions add constraint executions_status_check
  check (status in ('QUEUED', 'RUNNING', 'WAITING', 'CANCELLING', 'COMPLETED', 'FAILED', 'TIMEOUT', 'CANCELLED')) not valid;
alter table deliveries add constraint deliveries_event_check
  check (event in ('execution.completed', 'execution.failed')) not valid;
