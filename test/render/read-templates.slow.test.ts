// Tests reading templates from a folder, and the errors for invalid ones.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { TEMPLATES } from '../../src/render/templates/catalog.ts';
import { readTemplates } from '../../src/render/templates/read-templates.ts';
import type { Template } from '../../src/render/templates/template.ts';

const quoteCard = TEMPLATES.find(({ id }) => id === 'quote-card') as Template;

describe('readTemplates', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'graphwright-templates-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));
  const write = (value: unknown) =>
    writeFile(join(folder, 'one.json'), typeof value === 'string' ? value : JSON.stringify(value));

  it('returns valid templates unchanged', async () => {
    const template = { ...quoteCard, id: 'our-quote', allow: { users: [7], teams: ['team_a'] } };
    await write(template);
    await writeFile(join(folder, 'notes.txt'), 'no template');
    assert.deepEqual(readTemplates(folder), [template]);
  });

  it('reports the file and the field of an invalid template', async () => {
    const input = quoteCard.inputs[0];
    for (const [value, reason] of [
      ['{', /Can.t read the template .*one\.json/],
      [[], /it must be an object/],
      [{ ...quoteCard, id: '../x' }, /id must be lower-case letters/],
      [{ ...quoteCard, fps: 0 }, /fps must be a whole number/],
      [{ ...quoteCard, inputs: [{ ...input, portId: 'props' }] }, /inputs must be a list of mappings/],
      [{ ...quoteCard, inputs: [{ ...input, propPath: '__proto__ .x' }] }, /inputs must be/],
      [{ ...quoteCard, props: { ink: { label: 'Text color' } } }, /props must be/],
      [{ ...quoteCard, allow: [7] }, /allow must be/],
      [{ ...quoteCard, colour: 'red' }, /colour is not a known property/],
    ] as const) {
      await write(value);
      assert.throws(() => readTemplates(folder), { name: 'SettingsError', message: reason });
    }
    assert.throws(() => readTemplates(join(folder, 'nowhere')), { name: 'SettingsError' });
  });
});
