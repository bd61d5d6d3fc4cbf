// Tests the completion of programs of code nodes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Completion, CompletionContext } from '@codemirror/autocomplete';
import { javascript } from '@codemirror/lang-javascript';
import { EditorState } from '@codemirror/state';
import type { ProgramPorts } from '../../../editor/board/program-ports.ts';
import { completeProgram } from '../../../editor/pages/editor/inspector/code-completion.ts';

const PORTS: ProgramPorts = {
  inputs: [
    { id: 'title', type: 'TEXT' },
    { id: 'picture', type: 'IMAGE' },
    { id: 'rest', type: 'LIST' },
    { id: 'data', type: 'JSON' },
  ],
  outputs: [{ id: 'out', type: 'NUMBER' }],
};

/** Completes at the `|` of the text. */
async function complete(text: string, ports = PORTS): Promise<readonly Completion[]> {
  const caret = text.indexOf('|');
  const state = EditorState.create({
    doc: text.replace('|', ''),
    extensions: javascript({ typescript: true }),
  });
  const completion = await completeProgram(() => ports)(new CompletionContext(state, caret, true));
  return completion?.options ?? [];
}
const labels = async (text: string): Promise<readonly string[]> =>
  (await complete(text)).map(({ label }) => label);

describe('completeProgram', () => {
  it('offers inputs, outputs and globals once each', async () => {
    const options = await complete('export default ({ title, picture }) => ({ | })');
    assert.deepEqual(
      options.slice(0, 5).map(({ label, detail }) => [label, detail]),
      [
        ['title', 'string, input'],
        ['picture', '{ url, contentType, width, height, duration }, input'],
        ['rest', 'any[], input'],
        ['data', 'any, input'],
        ['out', 'number, output'],
      ],
    );
    const names = options.map(({ label }) => label);
    assert.ok(names.includes('Math') && !names.includes('constructor'));
    assert.equal(new Set(names).size, names.length);
  });

  it('offers ports inside an incomplete parameter or result', async () => {
    const ports = ['title', 'picture', 'rest', 'data', 'out'];
    for (const text of [
      'export default ({ ti|',
      'export default ({ title, pi| }) => ({})',
      'export default () => ({ ou|',
      'export default () => ({ ou| })',
    ])
      assert.deepEqual(await labels(text), ports, text);
  });

  it('offers the members of the type of an input', async () => {
    const text = await labels('export default ({ title }) => ({ out: title.| })');
    assert.ok(text.includes('toUpperCase') && !text.includes('out') && !text.includes('__proto__'));
    assert.deepEqual(await labels('export default ({ picture }) => ({ out: picture.| })'), [
      'url',
      'contentType',
      'width',
      'height',
      'duration',
    ]);
    assert.ok((await labels('export default ({ picture }) => picture.url.|')).includes('endsWith'));
    assert.ok((await labels('export default ({ rest }) => ({ out: rest.fi| })')).includes('filter'));
    assert.deepEqual(await labels('export default ({ data }) => data.|'), []);
  });

  it('offers all inputs as members of a parameter that is not destructured', async () => {
    assert.deepEqual(await labels('export default async function run(inputs) { return inputs.|; }'), [
      'title',
      'picture',
      'rest',
      'data',
    ]);
    assert.ok((await labels('export default inputs => inputs.title.|')).includes('trim'));
  });

  it('completes code beyond the part that the editor has parsed', async () => {
    const comments = '// A line\n'.repeat(1000);
    assert.deepEqual(await labels(`${comments}export default ({ data }) => data.|`), []);
    assert.ok((await labels(`${comments}export default ({ title }) => title.|`)).includes('trim'));
  });

  it('offers nothing in strings and comments', async () => {
    assert.deepEqual(await labels('export default () => ({ out: "ti|" })'), []);
    assert.deepEqual(await labels('// ti|'), []);
  });
});
