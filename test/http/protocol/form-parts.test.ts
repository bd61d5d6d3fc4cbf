// Tests the form parser: the same parts for any chunks of the body, and every limit.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FormError, type MultipartPart, readField, readParts } from '../../../src/http/form-parts.ts';
import { seededRandom } from '../../../src/lib/seeded-random.ts';

/** Splits bytes into chunks that own their memory, as a socket does. */
async function* cut(bytes: Buffer, size: () => number): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; ) {
    const piece = bytes.subarray(at, at + size());
    at += piece.length;
    yield new Uint8Array(piece);
  }
}

type Read = Omit<MultipartPart, 'body'> & { readonly value: string };

async function read(text: string, size = () => 1000, boundary = 'x'): Promise<Read[]> {
  const parts: Read[] = [];
  for await (const { body, ...part } of readParts(cut(Buffer.from(text, 'latin1'), size), boundary)) {
    let value = '';
    for await (const piece of body) value += piece.toString('latin1');
    parts.push({ ...part, value });
  }
  return parts;
}

const part = (headers: string, value: string): string => `--x\r\n${headers}\r\n\r\n${value}\r\n`;
const named = (more = '') => `content-disposition: form-data; name="a"${more}`;

// Looks like the start of a delimiter.
const TRICKY = '\r\n--\r\n-\r\r\n\r\n--X\r\n--\rx--x\n--x\r--x\r';
const FORM = `before\r\n${part('Content-Disposition: form-data; name="field"', '3')}${part(
  `content-type: image/png\r\n${named('; filename="b \\" c.png"')}`,
  TRICKY,
)}${part(named(), '')}--x--\r\nbehind`;
const PARTS = [
  { name: 'field', filename: undefined, contentType: undefined, value: '3' },
  { name: 'a', filename: 'b " c.png', contentType: 'image/png', value: TRICKY },
  { name: 'a', filename: undefined, contentType: undefined, value: '' },
];

describe('readParts', () => {
  it('finds the same parts in any chunks of the body', async () => {
    for (let size = 1; size <= FORM.length; size++) assert.deepEqual(await read(FORM, () => size), PARTS);
    const random = seededRandom(3);
    for (let round = 0; round < 300; round++)
      assert.deepEqual(await read(FORM, () => 1 + Math.floor(random() * 40)), PARTS);
  });

  it('skips the unread rest of a part', async () => {
    const names: string[] = [];
    for await (const { name, body } of readParts(
      cut(Buffer.from(FORM), () => 7),
      'x',
    )) {
      names.push(name);
      for await (const _ of body) break;
    }
    assert.deepEqual(names, ['field', 'a', 'a']);
  });

  it('reads names as clients write them', async () => {
    for (const [written, filename] of [
      ['; filename=plain.png', 'plain.png'],
      ['; filename="C:\\dir\\a.png"', 'C:\\dir\\a.png'],
      ['; filename="a;b=c.png"', 'a;b=c.png'],
      ['; filename=""', ''],
      ["; filename*=utf-8''K%C3%A4se.png", 'Käse.png'],
      ["; filename*=utf-8''%ff", '%ff'],
      ['', undefined],
    ] as const) {
      assert.equal((await read(`${part(named(written), '')}--x--`))[0]?.filename, filename, written);
    }
  });

  it('refuses malformed and unterminated forms', async () => {
    for (const text of [
      '',
      'nothing',
      '--x',
      '--x\r\n',
      '--xy\r\n\r\n\r\n--x--',
      part('content-type: text/plain', ''),
      part('content-disposition: attachment; name="a"', ''),
      part('content-disposition: form-data', ''),
      part(named(), 'a'),
      part(`${named()}\r\n${'a: b\r\n'.repeat(21)}a: b`, ''),
      part(`${named()}; x="${'y'.repeat(9000)}"`, ''),
      part(named(), '').repeat(13),
    ]) {
      await assert.rejects(read(text), FormError, text.slice(0, 60));
      await assert.rejects(
        read(text, () => 1),
        FormError,
        text.slice(0, 60),
      );
    }
  });

  it('limits the size of a field', async () => {
    for await (const { body } of readParts(
      cut(Buffer.from(`${part(named(), 'abc')}--x--`), () => 1),
      'x',
    )) {
      await assert.rejects(readField(body, 2), FormError);
    }
  });

  it('closes the body when the caller stops', async () => {
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
