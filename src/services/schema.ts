// Defines the building blocks of request and response schemas. Request schemas validate, document and type; response
// schemas only document.
import { type TObjectOptions, type TProperties, type TSchema, type TSchemaOptions, Type } from 'typebox';

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const Timestamp = Type.String({ format: 'date-time' });

/** Sentences about what an object cannot do. */
export const Warnings = Type.Optional(
  Type.Object(
    { warnings: Type.Array(Type.String()) },
    { description: 'Absent if there is nothing to warn of, such as secrets without hosts' },
  ),
);

export const Id = (description: string) => Type.String({ maxLength: 64, description });

/** Defines the path parameters of a resource with this ID. */
export const IdParams = (description: string) => Type.Object({ id: Id(description) });

/** Defines a positive integer that PostgreSQL can store. */
export const PositiveInteger = (options: TSchemaOptions = {}) =>
  Type.Integer({ minimum: 1, maximum: 2_147_483_647, ...options });

/** Defines an object that rejects unknown members. */
export const Exact = <P extends TProperties>(properties: P, options: TObjectOptions = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });

/** Defines a named object. The OpenAPI document refers to it by that name. */
export const Named = <P extends TProperties>(title: string, description: string, properties: P) =>
  Type.Object(properties, { title, description });

/** Defines a named object that rejects unknown members. */
export const NamedExact = <P extends TProperties>(
  title: string,
  description: string,
  properties: P,
  options: TObjectOptions = {},
) => Exact(properties, { ...options, title, description });

/** Defines a response that is not JSON. */
export const Plain = (...contentTypes: readonly string[]) =>
  Type.Unsafe<unknown>({
    description: 'Done',
    content: Object.fromEntries(contentTypes.map(type => [type, { schema: { type: 'string' } }])),
  });

/** Defines a stream of server-sent events, with a named schema for each event. */
export const EventStreamSchema = (
  title: string,
  description: string,
  events: Readonly<Record<string, TSchema & { readonly title?: string }>>,
) =>
  Type.Unsafe<unknown>({
    description: 'A stream of these events',
    content: {
      'text/event-stream': {
        schema: {
          title,
          description,
          oneOf: Object.values(events),
          discriminator: {
            propertyName: 'event',
            mapping: Object.fromEntries(
              Object.entries(events).map(([event, schema]) => [
                event,
                `#/components/schemas/${schema.title}`,
              ]),
            ),
          },
        },
      },
    },
  });

const ISO_TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/;

/**
 * Parses an ISO 8601 time. A date alone means its first moment in UTC. Returns undefined for any other text, including
 * `2026-02-30` and `24:00`.
 */
export function parseIsoTime(text: string): Date | undefined {
  const [, year, month, day, hour = 0, minute = 0, second = 0] = (ISO_TIME.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const isClock = (hour || 0) < 24 && (minute || 0) < 60 && (second || 0) < 60;
  return isClock && isDay(year, month, day) ? new Date(text) : undefined;
}

/** Returns whether the day exists. `Date` would treat February 30 as March 2. */
function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
