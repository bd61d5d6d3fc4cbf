-- Lists of executions by status, and by idempotency key. Writes to the table wait while the indexes are made, about two
-- seconds a million rows.

-- In the place of executions_user: the list of all is the newest of each status, put together.
create index executions_user_status on executions (user_id, status, id collate "C" desc);
create index executions_workflow_status on executions (workflow_id, status, id collate "C" desc);
drop index executions_user;

create index executions_key on executions (idempotency_key, user_id) where idempotency_key is not null;
