// Tests the code node: its ports, how values and media reach the program, and what it may return.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createNodeTypes, findNode } from '../../src/nodes/catalog.ts';
import { makeContext, runNode } from '../support/engine/node-context.ts';
import { listValue, numberValue, textValue } from '../support/engine/values.ts';
import { plainImage } from '../support/media/pixels.ts';

const TYPE = 'utility:code';

const listPorts = (types: Readonly<Record<string, string>>) =>
  Object.entries(types).map(([id, type]) => ({ id, type }));

describe('utility:code', () => {
  it('has the ports that its config lists', () => {
    const resolved = findNode(TYPE)?.ports({
      inputs: listPorts({ a: 'TEXT', picture: 'IMAGE' }),
      outputs: listPorts({ out: 'LIST' }),
    });
    assert.deepEqual(
      resolved?.inputs.filter(({ isPort }) => isPort).map(({ id, type }) => [id, type]),
      [
        ['a', 'TEXT'],
        ['picture', 'IMAGE'],
      ],
    );
    assert.deepEqual(
      resolved?.outputs.map(({ id, type }) => [id, type]),
      [['out', 'LIST']],
    );
    assert.equal(resolved?.problem, undefined);
  });

  it('reports which port of its config is invalid', () => {
    const cases = [
      [{ inputs: 'a', outputs: [] }, /^inputs must be a list/],
      [{ inputs: [{ id: 'code', type: 'TEXT' }], outputs: [] }, /^inputs\[0\] must have an id/],
      [{ inputs: [], outputs: [{ id: 'a', type: 'PICTURE' }] }, /^outputs\[0\] must have an id/],
      [
        { inputs: [], outputs: listPorts({ a: 'TEXT' }).concat(listPorts({ a: 'JSON' })) },
        /two ports with the same id/,
      ],
    ] as const;
    for (const [config, problem] of cases) assert.match(findNode(TYPE)?.ports(config).problem ?? '', problem);
  });

  it('passes values by name and returns outputs with the types of their ports', async () => {
    const outputs = await runNode(TYPE, {
      code: `export default ({ words, n, data, items }) => ({
        text: words.toUpperCase(), number: n + 1, json: { ...data, n }, list: [...items, 3], any: 'x', none: null, more: 1,
      })`,
      inputs: listPorts({ words: 'TEXT', n: 'NUMBER', data: 'JSON', items: 'LIST' }),
      outputs: listPorts({
        text: 'TEXT',
        number: 'NUMBER',
        json: 'JSON',
        list: 'LIST',
        any: 'ANY',
        none: 'TEXT',
      }),
      words: 'cat',
      n: 1,
      data: { type: 'TEXT', text: 'not a tagged value' },
      items: [textValue('a'), numberValue(2)],
    });
    assert.deepEqual(outputs, {
      text: textValue('CAT'),
      number: numberValue(2),
      json: { type: 'JSON', json: { type: 'TEXT', text: 'not a tagged value', n: 1 } },
      list: listValue([textValue('a'), numberValue(2), numberValue(3)]),
      any: textValue('x'),
    });
  });

  it('returns only media that it received', async () => {
    const ctx = makeContext();
    const picture = await ctx.upload(await plainImage(20, 10, '#808080'), 'image/png');
    const config = {
      inputs: listPorts({ picture: 'IMAGE' }),
      outputs: listPorts({ out: 'IMAGE', width: 'NUMBER' }),
      picture,
    };
    const outputs = await runNode(
      TYPE,
      { ...config, code: 'export default ({ picture }) => ({ out: picture, width: picture.width })' },
      ctx,
    );
    assert.deepEqual(outputs, { out: { type: 'IMAGE', media: picture }, width: numberValue(20) });
    const changedCode = 'export default ({ picture }) => ({ out: { ...picture, url: picture.url + "?" } })';
    await assert.rejects(runNode(TYPE, { ...config, code: changedCode }, ctx), { code: 'invalid_output' });
  });

  it('fails with the message, line, column and log of the program', async () => {
    const ctx = makeContext();
    const failingCode =
      'export default () => {\n  console.log("before");\n  throw new Error("out of paint");\n}';
    await assert.rejects(runNode(TYPE, { code: failingCode, inputs: [], outputs: [] }, ctx), {
      code: 'program_failed',
      message: 'Error: out of paint (line 3, column 18)',
    });
    assert.deepEqual(ctx.logLines, ['before\n']);
  });

  it('refuses outputs of another type and inputs that are too large', async () => {
    const code = 'export default () => ({ out: 1 })';
    await assert.rejects(runNode(TYPE, { code, inputs: [], outputs: listPorts({ out: 'TEXT' }) }), {
      code: 'invalid_output',
      message: 'The output "out" must be a string.',
    });
    const large = Array.from({ length: 6 }, () => textValue('x'.repeat(999_999)));
    await assert.rejects(runNode(TYPE, { code, inputs: listPorts({ large: 'LIST' }), outputs: [], large }), {
      code: 'program_input_too_large',
    });
  });

  it('is hidden if CODE_NODES is false', () => {
    const { catalog } = createNodeTypes({ SANDBOX_MODELS: true, CODE_NODES: false });
    assert.equal(catalog.find(TYPE)?.hidden, true);
    assert.equal(createNodeTypes({ SANDBOX_MODELS: true }).catalog.find(TYPE)?.hidden, undefined);
  });
});
