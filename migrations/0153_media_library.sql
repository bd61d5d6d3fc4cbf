-- For the media library: the prompt that made a file, and the poster of a video.

alter table media add column prompt text, add column poster_id text;
-- Old rows have no poster, so there is nothing to validate.
alter table media add constraint media_poster_known foreign key (poster_id) references media on delete set null not valid;
create index media_by_poster on media (poster_id) where poster_id is not null;
