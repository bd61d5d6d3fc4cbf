// Parses the messages of this service: headers, and the parts of a multipart message.

export interface MailPart {
  readonly contentType: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly content: Buffer;
}

export interface ParsedMail {
  readonly raw: string;
  /** By lower-case name, unfolded, with encoded words decoded. */
  readonly headers: ReadonlyMap<string, string>;
  readonly parts: readonly MailPart[];
  readonly text: string;
  readonly html: string;
}

export function parseMail(raw: string): ParsedMail {
  const { headers } = splitHead(raw);
  const parts = listParts(raw);
  const find = (type: string): string =>
    parts.find(({ contentType }) => contentType === type)?.content.toString() ?? '';
  return { raw, headers, parts, text: find('text/plain'), html: find('text/html') };
}

function splitHead(raw: string): { readonly headers: Map<string, string>; readonly body: string } {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = new Map(
    lines.map(line => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), decodeWords(line.slice(colon + 1).trim())];
    }),
  );
  return { headers, body: raw.slice(end + 4) };
}

function listParts(raw: string): readonly MailPart[] {
  const { headers, body } = splitHead(raw);
  const type = headers.get('content-type') ?? 'text/plain';
  const boundary = /boundary="([^"]+)"/.exec(type)?.[1];
  if (boundary !== undefined)
    return body
      .split(`--${boundary}`)
      .slice(1, -1)
      .flatMap(part => listParts(part.replace(/^\r\n/, '').replace(/\r\n$/, '')));
  const content = decodeBody(body, headers.get('content-transfer-encoding') ?? '7bit');
  return [{ contentType: type.split(';')[0] ?? '', headers, content }];
}

function decodeBody(body: string, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(body, 'base64');
  return encoding === 'quoted-printable' ? decodeQuoted(body.replaceAll(/=\r\n/g, '')) : Buffer.from(body);
}

const decodeQuoted = (text: string): Buffer =>
  Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );

const decodeWords = (text: string): string =>
  text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      (kind.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64')
        : decodeQuoted(word.replaceAll('_', ' '))
      ).toString(),
    );
