-- Kinds feed and bucket: when to poll next.
alter table triggers rename column look_at to poll_at;
