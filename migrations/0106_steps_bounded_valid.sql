-- Checks the rows that were there before 0105.

alter table execution_steps validate constraint execution_steps_before;
