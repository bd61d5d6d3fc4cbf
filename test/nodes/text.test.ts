// Tests text nodes, including hostile texts and patterns from graphs.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findNode } from '../../src/nodes/catalog.ts';
import { runNode } from '../support/engine/node-context.ts';
import { textValue } from '../support/engine/values.ts';

describe('utility:prompt_concat', () => {
  it('joins the connected texts and omits empty texts', async () => {
    assert.deepEqual(
      await runNode('utility:prompt_concat', { text1: 'a fox', text3: '', text4: 'at dawn' }),
      { text: 'a fox, at dawn' },
    );
    assert.deepEqual(await runNode('utility:prompt_concat', { text1: 'a', text2: 'b', separator: ' + ' }), {
      text: 'a + b',
    });
    assert.deepEqual(await runNode('utility:prompt_concat', {}), { text: '' });
  });
});

describe('utility:text_template', () => {
  const listPorts = (template: unknown) =>
    findNode('utility:text_template')
      ?.ports({ template } as never)
      .inputs.filter(input => input.isPort)
      .map(input => input.id);

  it('replaces its tokens and leaves everything else unchanged', async () => {
    const template = 'A {{ animal }} in {{place}}, {{animal}}! {{secrets.KEY}} {{}}';
    const { text } = await runNode('utility:text_template', { template, animal: 'fox', place: '$& $1' });
    assert.equal(text, 'A fox in $& $1, fox! {{secrets.KEY}} {{}}');
  });

  it('has tokens with letters of any language', async () => {
    const template = '{{größe}}, {{имя}}, {{名前}}, {{हिन्दी}}';
    assert.deepEqual(listPorts(template), ['größe', 'имя', '名前', 'हिन्दी']);
    const values = { template, größe: 'a', имя: 'b', 名前: 'c', हिन्दी: 'd' };
    assert.deepEqual(await runNode('utility:text_template', values), { text: 'a, b, c, d' });
  });

  it('does not replace tokens within inserted values', async () => {
    assert.deepEqual(await runNode('utility:text_template', { template: '{{a}}', a: '{{b}}', b: 'x' }), {
      text: '{{b}}',
    });
  });

  it('creates one port for each token with a valid name', () => {
    assert.deepEqual(listPorts('{{a}} {{b}} {{a}} {{__proto__}} {{constructor}} {{template}} {{1x}}'), [
      'a',
      'b',
    ]);
    assert.deepEqual(listPorts(7), []);
    assert.equal(listPorts(Array.from({ length: 80 }, (_, index) => `{{t${index}}}`).join(''))?.length, 50);
  });

  it('refuses a result that would be too long before building the text', async () => {
    const values = { template: '{{a}}'.repeat(10_000), a: 'x'.repeat(900_000) };
    await assert.rejects(runNode('utility:text_template', values), { code: 'text_too_long' });
  });
});

describe('utility:text_split', () => {
  it('splits text and omits empty parts', async () => {
    const list = ['red', 'green', 'blue'].map(textValue);
    assert.deepEqual(await runNode('utility:text_split', { text: 'red, green,,blue ', separator: ',' }), {
      list,
    });
    assert.deepEqual(await runNode('utility:text_split', { text: 'red\ngreen\n\nblue' }), { list });
  });

  it('splits into whole characters if the separator is empty', async () => {
    assert.deepEqual(await runNode('utility:text_split', { text: 'a🦊', separator: '' }), {
      list: ['a', '🦊'].map(textValue),
    });
  });

  it('refuses more parts than a list may have', async () => {
    await assert.rejects(runNode('utility:text_split', { text: 'a,'.repeat(1001), separator: ',' }), {
      code: 'list_too_long',
    });
  });
});

describe('utility:text_replace', () => {
  const replace = (values: object) => runNode('utility:text_replace', { ...values });

  it('replaces every occurrence literally', async () => {
    assert.deepEqual(await replace({ text: 'a.b.c', find: '.', replace: '$&' }), { text: 'a$&b$&c' });
    assert.deepEqual(await replace({ text: 'abc', find: '', replace: 'x' }), { text: 'abc' });
  });

  it('replaces by a pattern with groups', async () => {
    assert.deepEqual(
      await replace({ text: 'John Smith', find: '(\\w+) (\\w+)', replace: '$2, $1', mode: 'regex' }),
      { text: 'Smith, John' },
    );
    assert.deepEqual(await replace({ text: 'Fox fox', find: '(?i)fox', replace: 'owl', mode: 'regex' }), {
      text: 'owl owl',
    });
  });

  it('accepts a pattern that would backtrack forever in other engines', async () => {
    const { text } = await replace({
      text: `${'a'.repeat(5000)}!`,
      find: '^(a+)+$',
      replace: 'x',
      mode: 'regex',
    });
    assert.equal((text as string).length, 5001);
  });

  it('replaces in long texts in a thread', async () => {
    const text = 'John Smith, '.repeat(20_000);
    const { text: replaced } = await replace({
      text,
      find: '(\\w+) (\\w+)',
      replace: '$2 $1',
      mode: 'regex',
    });
    assert.equal(replaced, 'Smith John, '.repeat(20_000));
    await assert.rejects(replace({ text, find: ' ', replace: 'b'.repeat(500), mode: 'regex' }), {
      code: 'text_too_long',
    });
  });

  it('refuses invalid or costly patterns and results that are too long', async () => {
    const cases = [
      [{ text: 'a', find: '(', replace: '', mode: 'regex' }, 'invalid_regex'],
      [{ text: 'a', find: '(?=a)', replace: '', mode: 'regex' }, 'invalid_regex'],
      [{ text: 'a', find: 'a'.repeat(501), replace: '', mode: 'regex' }, 'invalid_regex'],
      [{ text: 'a'.repeat(200_000), find: '(a{1,30}b){30}', replace: '', mode: 'regex' }, 'regex_too_costly'],
      [{ text: 'a'.repeat(1000), find: 'a', replace: 'b'.repeat(5000), mode: 'regex' }, 'text_too_long'],
      [{ text: 'a'.repeat(100_000), find: 'a', replace: 'b'.repeat(100_000), mode: 'text' }, 'text_too_long'],
    ] as const;
    for (const [values, code] of cases) await assert.rejects(replace(values), { code });
  });

  it("does not replace $` and $' in the replacement", async () => {
    assert.deepEqual(await replace({ text: 'abc', find: 'b', replace: "[$`$']", mode: 'regex' }), {
      text: "a[$`$']c",
    });
  });
});
