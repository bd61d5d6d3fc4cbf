-- Runs that go on after a decision, and deliveries that are sent again.

-- JSON object of decisions by node id; read when the run goes on.
alter table executions add column decisions text;

-- The attempt that is the last one; a redelivery raises it.
alter table deliveries add column max_attempts integer not null default 12;
