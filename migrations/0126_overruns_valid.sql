-- Checks the rows that were there before 0125.

alter table credit_entries validate constraint credit_entries_kind_check;
