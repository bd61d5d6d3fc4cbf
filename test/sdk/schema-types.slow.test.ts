// Tests that the types of the SDK, and those of the responses in the editor, match the OpenAPI document. The option
// `--write` generates the types.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, it } from 'node:test';
import { createTestApp } from '../support/app.ts';
import { generateResponses, generateTypes, type OpenApi } from './schema-types.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The generator of each file. */
const FILES: Readonly<Record<string, (document: OpenApi) => string>> = {
  'sdk/src/schemas.ts': ({ components }) => generateTypes(components.schemas),
  'editor/lib/responses.ts': generateResponses,
};

let document: OpenApi;
before(async () => {
  const test = await createTestApp();
  document = (await test.app.inject('/openapi.json')).json();
  await test.close();
  if (!process.argv.includes('--write')) return;
  for (const [file, generate] of Object.entries(FILES))
    writeFileSync(join(ROOT, file), format(generate(document)));
});

function format(text: string): string {
  const biome = join(ROOT, 'node_modules/.bin/biome');
  return execFileSync(biome, ['check', '--write', '--stdin-file-path=sdk/src/schemas.ts'], {
    cwd: ROOT,
    input: text,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

for (const [file, generate] of Object.entries(FILES))
  it(`${file} is up to date (node test/sdk/schema-types.slow.test.ts --write generates it)`, () => {
    assert.ok(Object.keys(document.components.schemas).length > 100);
    assert.equal(readFileSync(join(ROOT, file), 'utf8'), format(generate(document)));
  });

it('generateTypes converts JSON Schemas to TypeScript types', () => {
  const text = format(
    generateTypes({
      A: {
        type: 'object',
        description: 'A thing */ of\ntwo lines',
        required: ['a', 'c-d'],
        properties: {
          a: { type: 'string', description: 'Its name' },
          b: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
          'c-d': { type: 'array', items: { enum: ['x', 2, null] } },
          e: { $ref: '#/components/schemas/B' },
        },
        additionalProperties: true,
      },
      B: { type: 'object', additionalProperties: { type: ['string', 'number'] } },
      C: { allOf: [{ $ref: '#/components/schemas/A' }, { const: false }] },
      D: {},
    }),
  );
  assert.equal(text.includes('*/ of'), false);
  for (const line of [
    "  readonly 'c-d': readonly ('x' | 2 | null)[];",
    '  readonly b?: number | null;',
    '  readonly e?: B;',
    '} & Readonly<Record<string, unknown>>;',
    'export type B = Readonly<Record<string, string | number>>;',
    'export type C = A & false;',
    'export type D = unknown;',
  ])
    assert.ok(text.includes(line), `${line} in\n${text}`);
});
