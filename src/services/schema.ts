// What the schemas of requests and answers are made of. Those of requests validate, document and type; those of answers
// only document: what is sent is the service's to say.
import type { TObjectOptions, TProperties, TSchema } from 'typebox';
import { Type } from '../lib/type.ts';

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const Timestamp = Type.String({ format: 'date-time' });

/** An object that refuses members it does not name. */
export const Exact = <P extends TProperties>(properties: P, options: TObjectOptions = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });

/** An object with a name of its own: the document refers to it by that name wherever it is used. */
export const Named = <P extends TProperties>(title: string, description: string, properties: P) =>
  Type.Object(properties, { title, description });

/** Both. */
export const NamedExact = <P extends TProperties>(
  title: string,
  description: string,
  properties: P,
  options: TObjectOptions = {},
) => Exact(properties, { ...options, title, description });

/** An answer that is not JSON. */
export const Plain = (...contentTypes: readonly string[]) =>
  Type.Unsafe<unknown>({
    description: 'Done',
    content: Object.fromEntries(contentTypes.map(type => [type, { schema: { type: 'string' } }])),
  });

/** A stream of server-sent events, each a named schema by the event's name. */
export const EventStreamOf = (
  title: string,
  description: string,
  events: Readonly<Record<string, TSchema & { readonly title?: string }>>,
) =>
  Type.Unsafe<unknown>({
    description: 'A stream of these',
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
