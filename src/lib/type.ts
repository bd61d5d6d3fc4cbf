// The builders of JSON Schemas that this program uses, typed by typebox and equal to its own: those come in 400 modules,
// which cost a seventh of the service's start.
import type * as typebox from 'typebox';

type Used =
  | 'Array'
  | 'Boolean'
  | 'Enum'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Record'
  | 'String'
  | 'Tuple'
  | 'Union'
  | 'Unknown'
  | 'Unsafe';

/** Typebox's marks, which JSON does not show. */
type Mark = '~kind' | '~optional' | '~unsafe';

function mark(schema: object, name: Mark, value: unknown): object {
  return Object.defineProperty(schema, name, {
    value,
    configurable: true,
    writable: true,
    enumerable: false,
  });
}

const make = (kind: Used, members: object, options?: object): object =>
  mark({ ...members, ...options }, '~kind', kind);

const copy = (schema: object): object =>
  Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema));

function makeObject(properties: Readonly<Record<string, object>>, options?: object): object {
  const required = Object.keys(properties).filter(
    name => !Object.hasOwn(properties[name] ?? {}, '~optional'),
  );
  const members = { type: 'object', ...(required.length > 0 && { required }), properties };
  return make('Object', members, options);
}

/** Its keys are strings of that pattern, or any. */
function makeRecord(key: { readonly pattern?: string }, value: object, options?: object): object {
  return make('Record', { type: 'object', patternProperties: { [key.pattern ?? '^.*$']: value } }, options);
}

const builders: Readonly<Record<Used, (...given: never[]) => object>> = {
  Array: (items: object, options?: object) => make('Array', { type: 'array', items }, options),
  Boolean: (options?: object) => make('Boolean', { type: 'boolean' }, options),
  Enum: (values: readonly unknown[], options?: object) => make('Enum', { enum: values }, options),
  Integer: (options?: object) => make('Integer', { type: 'integer' }, options),
  Literal: (value: unknown, options?: object) =>
    make('Literal', { type: typeof value, const: value }, options),
  Null: (options?: object) => make('Null', { type: 'null' }, options),
  Number: (options?: object) => make('Number', { type: 'number' }, options),
  Object: makeObject,
  Optional: (schema: object) => mark(copy(schema), '~optional', true),
  Record: makeRecord,
  String: (options?: object) => make('String', { type: 'string' }, options),
  Tuple: (items: readonly object[], options?: object) =>
    make('Tuple', { type: 'array', additionalItems: false, items, minItems: items.length }, options),
  Union: (anyOf: readonly object[], options?: object) => make('Union', { anyOf }, options),
  Unknown: (options?: object) => make('Unknown', {}, options),
  Unsafe: (schema: object) => mark(copy(schema), '~unsafe', null),
};

/** As typebox's `Type`, as far as this program goes. */
export const Type = builders as unknown as Pick<typeof typebox, Used>;
