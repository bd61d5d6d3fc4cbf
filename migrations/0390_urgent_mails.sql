-- Mails that protect an account, such as links for forgotten passwords, have budgets of their own, so that nobody can stop them by
-- causing other mails.
alter table mails add column is_urgent boolean not null default false;
drop index mails_waiting;
create index mails_waiting on mails (is_urgent, account) where state = 'waiting';
