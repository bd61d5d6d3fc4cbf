// Tests that the types of the SDK match the OpenAPI document. The option `--write` generates the types.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, it } from 'node:test';
import { createTestApp } from '../support/app.ts';
import { generateTypes, type Schemas } from './schema-types.ts';

const ROOT = join(import.meta.dirname, '../..');
const FILE = join(ROOT, 'sdk/src/schemas.ts');

let schemas: Schemas;
let generatedTypes: string;
before(async () => {
  const test = await createTestApp();
  schemas = (await test.app.inject('/openapi.json')).json().components.schemas;
  await test.close();
  generatedTypes = format(generateTypes(schemas));
  if (process.argv.includes('--write')) writeFileSync(FILE, generatedTypes);
});

function format(text: string): string {
  const biome = join(ROOT, 'node_modules/.bin/biome');
  return execFileSync(biome, ['format', '--stdin-file-path=sdk/src/schemas.ts'], {
    cwd: ROOT,
    input: text,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

it('sdk/src/schemas.ts is up to date (node test/sdk/schema-types.slow.test.ts --write generates it)', () => {
  assert.ok(Object.keys(schemas).length > 100);
  assert.equal(readFileSync(FILE, 'utf8'), generatedTypes);
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
