-- What visitors may use of an app on a day (UTC). Null: a share of the plan of the user who saved the app last.
alter table apps add column runs_per_day integer, add column upload_bytes_per_day bigint;

-- What visitors have used on a day, of an app or of all apps of a user. A row of an earlier day counts as 0.
create table app_days (
  -- The id of the app, or user:<id>.
  subject text primary key,
  day date not null,
  runs integer not null,
  upload_bytes bigint not null
);

alter table notices drop constraint notices_kind_check;
alter table notices add constraint notices_kind_check check (kind in ('schedule_paused', 'trigger_paused',
  'app_out_of_order', 'app_limit_reached', 'credits_low', 'storage_high', 'credential_failed', 'batch_stopped'));
