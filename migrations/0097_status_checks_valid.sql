-- Checks the rows that were there before 0096.

alter table executions validate constraint executions_status_check;
alter table deliveries validate constraint deliveries_event_check;
