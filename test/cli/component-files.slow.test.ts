// Tests lint, export and import of workflow files with components on the command line.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { spawnFirst } from '../support/command-line.ts';
import { KEY, startTestService, type TestService } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

const EXAMPLE = join(import.meta.dirname, '../../examples/linocuts.json');

interface File {
  readonly nodes: readonly {
    readonly id: string;
    readonly data: { readonly config: { readonly workflowId?: string } };
  }[];
  readonly components: readonly { readonly id: string; readonly name: string }[];
}

let service: TestService;
let folder: string;
before(async () => {
  [service, folder] = await Promise.all([
    startTestService(),
    mkdtemp(join(tmpdir(), 'graphwright-cli-components-')),
  ]);
});
after(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const write = async (name: string, file: object): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, JSON.stringify({ name, ...file }));
  return path;
};
const ID = `wf_${'0'.repeat(26)}`;
const call = (id: string, workflowId: string) => node(id, 'component:call', { workflowId, version: 1 });
const component = (id: string, graph: object) => ({ id, version: 1, name: 'C', ...graph });
const LEAF = {
  nodes: [node('in', 'input:text', { value: 'x' }), node('out', 'output:preview')],
  edges: [edge('in.text > out.input')],
};

it('graphwright lint checks the components of a file and the edges to their ports', async () => {
  const lint = (path: string) => spawnFirst(['lint', path]);
  assert.match((await lint(EXAMPLE)).out, /no issues found/);
  const unknownPort = await write('wrong.json', {
    nodes: [node('a', 'input:text', { value: 'x' }), call('c', ID)],
    edges: [edge('a.text > c.prompt')],
    components: [component(ID, LEAF)],
  });
  assert.match((await lint(unknownPort)).out, /warning {2}.*"in-prompt".*\(unknown_port\)/);
  const invalidComponent = await write('broken.json', {
    nodes: [call('c', ID)],
    edges: [],
    components: [component(ID, { nodes: [node('in', 'input:txt')], edges: [] })],
  });
  const { code, out } = await lint(invalidComponent);
  assert.equal(code, 1);
  assert.match(out, /error {2}.*broken\.json\/components\/0\/nodes\/0\/.*input:txt/);
  const circle = await write('circle.json', {
    nodes: [call('c', ID)],
    edges: [],
    components: [component(ID, { nodes: [call('again', ID)], edges: [] })],
  });
  assert.match((await lint(circle)).out, /\(component_circle\)/);
  const withoutComponent = await write('absent.json', { nodes: [call('c', ID)], edges: [] });
  assert.match((await lint(withoutComponent)).out, /warning.*is not in the file.*\(component_not_in_file\)/);
});

it('graphwright lint reports components that are nested too deeply', async () => {
  const ids = Array.from({ length: 9 }, (_, index) => `wf_${String(index).padStart(26, '0')}`);
  const components = ids.map((id, index) => {
    const next = ids[index + 1];
    return component(id, next === undefined ? LEAF : { nodes: [call('c', next)], edges: [] });
  });
  const deep = await write('deep.json', { nodes: [call('c', ids[0] ?? '')], edges: [], components });
  const { code, out } = await spawnFirst(['lint', deep]);
  assert.equal(code, 1);
  assert.match(out, /\(component_too_deep\)/);
});

it('graphwright imports, exports and runs a workflow with its components', async () => {
  const settings = { GRAPHWRIGHT_URL: service.url, GRAPHWRIGHT_API_KEY: KEY };
  const imported = await spawnFirst(['workflows', 'import', EXAMPLE], settings);
  assert.equal(imported.code, 0, imported.err);
  const [id = ''] = /^wf_\w+/.exec(imported.out) ?? [];
  const path = join(folder, 'out.json');
  const exported = await spawnFirst(['workflows', 'export', id, '-o', path], settings);
  assert.match(exported.out, /Wrote .*out\.json: Two linocuts, 1 components, 0 media files\./);
  const file = JSON.parse(await readFile(path, 'utf8')) as File;
  const [importedComponent] = file.components;
  assert.equal(importedComponent?.name, 'Captioned picture');
  assert.deepEqual(
    file.nodes.flatMap(({ data }) => data.config.workflowId ?? []),
    [importedComponent?.id, importedComponent?.id],
  );
  assert.match((await spawnFirst(['lint', path])).out, /no issues found/);
  const run = await spawnFirst(['run', path, '--input', 'place=a bridge'], settings);
  assert.match(run.out, /Captions: Linocut: a bridge\nCaptions: Linocut: a heron/);
  const secondImport = await spawnFirst(['workflows', 'import', path, '--json'], settings);
  const { nodes } = JSON.parse(secondImport.out) as File;
  assert.equal(nodes.find(it => it.id === 'first')?.data.config.workflowId, importedComponent?.id);
  const printedExport = await spawnFirst(['workflows', 'export', id], settings);
  assert.deepEqual((JSON.parse(printedExport.out) as File).components, file.components);
});
