// Tests how the texts of a form become values, and how values are checked.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AppField, listFields, parseFieldValues, parseText } from '../../src/apps/fields.ts';
import type { AppSettings } from '../../src/apps/store/apps.ts';
import type { Graph, Json } from '../../src/graph/types.ts';
import { node } from '../support/workflows.ts';

const createField = (nodeType: string, values: Partial<AppField> = {}): AppField => ({
  nodeId: 'node',
  key: 'input_1',
  name: 'text',
  nodeType,
  label: 'Text',
  control: 'textarea',
  choices: [],
  maxLength: 12,
  isRequired: false,
  hasOwnValue: false,
  ownFile: undefined,
  initial: undefined,
  ...values,
});

const check = (field: AppField, value: Json): Json | undefined =>
  parseFieldValues([field], { input_1: value }).values.node;

describe('a text of an app', () => {
  it('has the line breaks of its author, whatever the form sends', () => {
    const text = createField('input:text');
    assert.equal(parseText(text, 'a\r\nb\rc\nd'), 'a\nb\nc\nd');
    assert.deepEqual(parseText(createField('input:list'), 'a\r\n\r\nb\rc'), ['a', 'b', 'c']);
    assert.equal(check(text, parseText(text, '12345\r\n123456') ?? ''), '12345\n123456', '12 characters');
  });

  it('is counted in characters, as in its JSON Schema', () => {
    const text = createField('input:text');
    assert.equal(check(text, '🦊'.repeat(12)), '🦊'.repeat(12));
    assert.throws(() => check(text, '🦊'.repeat(13)), { code: 'invalid_inputs', message: /at most 12 char/ });
    const list = createField('input:list');
    assert.deepEqual(check(list, ['🦊'.repeat(12)]), ['🦊'.repeat(12)]);
    assert.throws(() => check(list, ['a', '🦊'.repeat(13)]), { message: /at most 12 characters/ });
  });
});

describe('an optional field of an app', () => {
  it('has the value of the workflow, which a required field does not show', () => {
    const graph = {
      nodes: [
        node('text', 'input:text', { value: 'a fox' }),
        node('number', 'input:number', { value: 0 }),
        node('list', 'input:list', { items: ['a', 'b'] }),
        node('image', 'input:image', { url: 'https://a.example/b.png' }),
        node('empty_text', 'input:text', { value: '' }),
        node('empty_list', 'input:list', { items: [] }),
        node('empty_image', 'input:image', { url: '', mediaId: '' }),
        node('slider', 'input:number', { value: 3 }),
      ],
      edges: [],
    } as unknown as Graph;
    const inputs = graph.nodes.map(({ id }) => ({
      nodeId: id,
      ...(id === 'slider' ? { control: 'slider', min: 1, max: 9 } : {}),
    }));
    const list = (isRequired: boolean) =>
      listFields({ inputs: inputs.map(input => ({ ...input, isRequired })) } as unknown as AppSettings, graph)
        .filter(({ hasOwnValue }) => hasOwnValue)
        .map(({ nodeId }) => nodeId);
    assert.deepEqual(list(false), ['text', 'number', 'list', 'image']);
    assert.deepEqual(list(true), []);
    const initials = (isRequired: boolean) =>
      listFields(
        {
          inputs: inputs.map(input => ({ ...input, isRequired, showsDefault: true })),
        } as unknown as AppSettings,
        graph,
      ).flatMap(({ initial, ownFile }) => initial ?? ownFile ?? []);
    assert.deepEqual(initials(false), ['a fox', '0', 'a\nb', { url: 'https://a.example/b.png' }, '3']);
    assert.deepEqual(initials(true), ['3']);
  });
});
