-- The trace that a run is part of, for the worker that executes it and the webhook that reports it.
alter table executions add column traceparent text;
