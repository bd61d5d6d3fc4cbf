-- Checks the rows that are there already. Writes continue meanwhile.

alter table deliveries validate constraint deliveries_event_check;
