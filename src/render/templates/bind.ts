// Fills props into a scene that is written as data. These forms may occur anywhere in it:
//   { $: 'path' }                  the prop at that dotted path; inside an $each, also `item`, `index` and `number`
//   { $text: 'Hello {path}' }      a text with props in it
//   { $each: 'path', do: … }       in an array: `do` for each item of the prop; `$each: 6` repeats it six times
//   { $if: 'path', do: …, else: … }   `do` if the prop exists and is not empty or false, otherwise `else`
//   { $step: [start, step], unit: '%' } start + step × index, for rows of an $each
// A property or array item whose value is undefined is left out.

import { isRecord } from '../../lib/record.ts';

export type Props = Readonly<Record<string, unknown>>;

/** Maximum number of items that a list prop shows. */
export const MAX_ITEMS = 60;

export function bindProps(data: unknown, props: Props): unknown {
  if (Array.isArray(data)) return data.flatMap(item => bindItem(item, props));
  if (!isRecord(data)) return data;
  if (typeof data.$ === 'string') return readPath(props, data.$);
  if (typeof data.$text === 'string')
    return data.$text.replace(/\{([\w.]+)\}/g, (_whole, path: string) => String(readPath(props, path) ?? ''));
  if (typeof data.$if === 'string')
    return bindProps(isPresent(readPath(props, data.$if)) ? data.do : data.else, props);
  if (Array.isArray(data.$step)) {
    const [start = 0, step = 0] = data.$step.map(Number);
    const value = start + step * Number(props.index ?? 0);
    return typeof data.unit === 'string' ? `${value}${data.unit}` : value;
  }
  const members = Object.entries(data).map(([key, value]) => [key, bindProps(value, props)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

function bindItem(item: unknown, props: Props): readonly unknown[] {
  if (isRecord(item) && (typeof item.$each === 'string' || typeof item.$each === 'number')) {
    return toList(item.$each, props)
      .slice(0, MAX_ITEMS)
      .map((value, index) => bindProps(item.do, { ...props, item: value, index, number: index + 1 }))
      .filter(value => value !== undefined);
  }
  const value = bindProps(item, props);
  return value === undefined ? [] : [value];
}

function toList(each: string | number, props: Props): readonly unknown[] {
  if (typeof each === 'number') return Array.from({ length: Math.min(each, MAX_ITEMS) });
  const list = readPath(props, each);
  return Array.isArray(list) ? list : [];
}

/** Returns the value at a dotted path with numeric segments, or undefined. */
export function readPath(props: Props, path: string): unknown {
  let value: unknown = props;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value ?? undefined;
}

const isPresent = (value: unknown): boolean =>
  value !== undefined && value !== '' && value !== false && !(Array.isArray(value) && value.length === 0);
