-- Files of visitors of apps, which the media library lists on their own. A file that a visitor uploaded counts too.
update media m set from_app = true from app_uploads u where u.media_id = m.id;
drop index media_listed;
create index media_listed on media (workspace, origin, from_app, id desc);
