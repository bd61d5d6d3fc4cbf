-- The owner who created a link to send it by other means than mail. Null: the service sent it.
alter table approval_links add column created_by integer;

-- Addresses of people without an account who want no mails about approvals.
create table approval_opt_outs (
  address_hash bytea primary key,
  created_at timestamptz(3) not null default now()
);

alter table approval_assignees drop constraint approval_assignees_mail_check;
alter table approval_assignees add constraint approval_assignees_mail_check
  check (mail in ('none', 'queued', 'limited', 'stopped'));
