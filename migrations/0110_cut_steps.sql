-- Node states with long values cut, so that whoever shows a run loads no more of it than is shown.

-- The value, about `most` bytes of its text or JSON; media stay whole.
create function cut_value(value json, most bigint) returns json language plpgsql immutable as $$
declare
  count bigint;
begin
  if octet_length(value::text) <= most then
    return value;
  end if;
  case value->>'type'
    when 'TEXT' then
      return json_build_object('type', 'TEXT', 'text', left(value->>'text', most::int));
    when 'JSON' then
      return json_build_object('type', 'JSON', 'json', left((value->'json')::text, most::int));
    when 'LIST' then
      count := greatest(json_array_length(value->'items'), 1);
      return json_build_object('type', 'LIST', 'items', coalesce(
        (select json_agg(cut_value(item, most / count)) from json_array_elements(value->'items') as items (item)), '[]'));
    else
      return value;
  end case;
end $$;

-- The state (engine/types.ts Step) with its outputs cut, and `true` for each result of an item.
create function cut_step(step json, most bigint) returns json language plpgsql immutable as $$
declare
  outputs json := step->'outputs';
  items json := step->'items';
  count bigint;
begin
  if items is not null then
    items := (select json_agg(case json_typeof(item) when 'null' then item else 'true' end)
      from json_array_elements(items) as results (item));
  end if;
  if outputs is not null and octet_length(outputs::text) > most then
    count := (select count(*) from json_object_keys(outputs));
    outputs := (select json_object_agg(key, cut_value(value, most / count)) from json_each(outputs));
    step := (select json_object_agg(key, value) from json_each(step) where key not in ('outputs', 'items'));
    return (select json_object_agg(key, value) from (
      select key, value from json_each(step)
      union all values ('outputs', outputs), ('items', items), ('truncated', 'true'::json)) members
      where value is not null);
  end if;
  if items is null then
    return step;
  end if;
  return (select json_object_agg(key, case key when 'items' then items else value end) from json_each(step));
end $$;
