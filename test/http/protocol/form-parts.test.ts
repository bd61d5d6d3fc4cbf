// Tests the form parser: parts in any chunks of the body, file names, malformed forms and limits.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FormError, type MultipartPart, readField, readParts } from '../../../src/http/form-parts.ts';
import { createSeededRandom } from '../../../src/lib/seeded-random.ts';

/** Splits bytes into chunks that own their memory, as a socket does. */
async function* splitBytes(
  bytes: Buffer,
  getSize: () => number,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let start = 0; start < bytes.length; ) {
    const chunk = bytes.subarray(start, start + getSize());
    start += chunk.length;
    yield new Uint8Array(chunk);
  }
}

type ParsedPart = Omit<MultipartPart, 'body'> & { readonly value: string };

async function parse(text: string, getSize = () => 1000): Promise<ParsedPart[]> {
  const parts: ParsedPart[] = [];
  for await (const { body, ...part } of readParts(splitBytes(Buffer.from(text, 'latin1'), getSize), 'x')) {
    let value = '';
    for await (const chunk of body) value += chunk.toString('latin1');
    parts.push({ ...part, value });
  }
  return parts;
}

const formatPart = (headers: string, value: string): string => `--x\r\n${headers}\r\n\r\n${value}\r\n`;
const formatDisposition = (parameters = '') => `content-disposition: form-data; name="a"${parameters}`;

/** Contains many texts that look like the start of a delimiter. */
const TRICKY = '\r\n--\r\n-\r\r\n\r\n--X\r\n--\rx--x\n--x\r--x\r';
const FORM = `before\r\n${formatPart('Content-Disposition: form-data; name="field"', '3')}${formatPart(
  `content-type: image/png\r\n${formatDisposition('; filename="b \\" c.png"')}`,
  TRICKY,
)}${formatPart(formatDisposition(), '')}--x--\r\nbehind`;
const PARTS = [
  { name: 'field', filename: undefined, contentType: undefined, value: '3' },
  { name: 'a', filename: 'b " c.png', contentType: 'image/png', value: TRICKY },
  { name: 'a', filename: undefined, contentType: undefined, value: '' },
];

describe('readParts', () => {
  it('finds the same parts however the body is split into chunks', async () => {
    for (let size = 1; size <= FORM.length; size++) assert.deepEqual(await parse(FORM, () => size), PARTS);
    const random = createSeededRandom(3);
    for (let round = 0; round < 300; round++)
      assert.deepEqual(await parse(FORM, () => 1 + Math.floor(random() * 40)), PARTS);
  });

  it('skips the unread rest of a part', async () => {
    const names: string[] = [];
    for await (const { name, body } of readParts(
      splitBytes(Buffer.from(FORM), () => 7),
      'x',
    )) {
      names.push(name);
      for await (const _ of body) break;
    }
    assert.deepEqual(names, ['field', 'a', 'a']);
  });

  it('reads file names in every notation that clients use', async () => {
    for (const [parameter, filename] of [
      ['; filename=plain.png', 'plain.png'],
      ['; filename="C:\\dir\\a.png"', 'C:\\dir\\a.png'],
      ['; filename="a;b=c.png"', 'a;b=c.png'],
      ['; filename=""', ''],
      ["; filename*=utf-8''K%C3%A4se.png", 'Käse.png'],
      ["; filename*=utf-8''%ff", '%ff'],
      ['', undefined],
    ] as const) {
      assert.equal(
        (await parse(`${formatPart(formatDisposition(parameter), '')}--x--`))[0]?.filename,
        filename,
        parameter,
      );
    }
  });

  it('rejects malformed and unterminated forms', async () => {
    for (const text of [
      '',
      'nothing',
      '--x',
      '--x\r\n',
      '--xy\r\n\r\n\r\n--x--',
      formatPart('content-type: text/plain', ''),
      formatPart('content-disposition: attachment; name="a"', ''),
      formatPart('content-disposition: form-data', ''),
      formatPart(formatDisposition(), 'a'),
      formatPart(`${formatDisposition()}\r\n${'a: b\r\n'.repeat(21)}a: b`, ''),
      formatPart(`${formatDisposition()}; x="${'y'.repeat(9000)}"`, ''),
      formatPart(formatDisposition(), '').repeat(13),
    ]) {
      await assert.rejects(parse(text), FormError, text.slice(0, 60));
      await assert.rejects(
        parse(text, () => 1),
        FormError,
        text.slice(0, 60),
      );
    }
  });

  it('readField rejects a field over the size limit', async () => {
    for await (const { body } of readParts(
      splitBytes(Buffer.from(`${formatPart(formatDisposition(), 'abc')}--x--`), () => 1),
      'x',
    )) {
      await assert.rejects(readField(body, 2), FormError);
    }
  });

  it('closes the body when the caller stops reading', async () => {
    let isClosed = false;
    const body = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
      try {
        yield Buffer.from(FORM);
      } finally {
        isClosed = true;
      }
    };
    for await (const _ of readParts(body(), 'x')) break;
    assert.equal(isClosed, true);
  });
});
