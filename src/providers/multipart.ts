// Builds multipart/form-data bodies as buffers, so that a request can be retried unchanged.
import { randomUUID } from 'node:crypto';
import { Attachment } from './provider.ts';

/** Field name and value, in order. A name may occur more than once. */
export type FormField = readonly [name: string, value: string | Attachment];

export interface Form {
  readonly contentType: string;
  readonly body: Buffer;
}

export function encodeForm(fields: readonly FormField[]): Form {
  const boundary = `graphwright-${randomUUID()}`;
  const parts = fields.flatMap(([name, value]) => [
    Buffer.from(`--${boundary}\r\n${describePart(name, value)}\r\n\r\n`),
    value instanceof Attachment ? value.bytes : Buffer.from(value),
    Buffer.from('\r\n'),
  ]);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
  };
}

function describePart(name: string, value: string | Attachment): string {
  const disposition = `content-disposition: form-data; name="${name}"`;
  if (typeof value === 'string') return disposition;
  // File names come from users and must not break out of the header.
  const filename = value.name.replaceAll(/[^\w.-]+/g, '-');
  return `${disposition}; filename="${filename}"\r\ncontent-type: ${value.contentType}`;
}
