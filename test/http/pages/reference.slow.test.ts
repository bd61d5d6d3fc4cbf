// Tests the API reference at /docs: pages, links, and code samples.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { type ApiDocument, listGroups, type Operation } from '../../../src/pages/reference/document.ts';
import { type CodeSample, listSamples } from '../../../src/pages/reference/samples.ts';
import { listElements } from '../../pages/page-check.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';

const run = promisify(execFile);
const SDK = join(import.meta.dirname, '../../../sdk/src/sdk.ts');

let test: TestApp;
let url: string;
let user: ApiUser;
let document: ApiDocument;
before(async () => {
  test = await createTestApp();
  url = await test.app.listen({ host: '127.0.0.1', port: 0 });
  user = await test.createUser({ plan: 'self_hosted' });
  document = (await test.app.inject('/openapi.json')).json<ApiDocument>();
});
after(() => test.close());

const listOperations = (): Operation[] => listGroups(document).flatMap(group => [...group.operations]);

describe('the API reference at /docs', () => {
  it('has a section for every operation and no broken links', async () => {
    const pages = new Map<string, ReadonlySet<string>>();
    const links: string[] = ['/docs'];
    const anchors: string[] = [];
    // The loop appends the links of each page to the list.
    for (const link of links) {
      const { pathname, hash } = new URL(link, url);
      if (hash !== '') anchors.push(pathname + hash);
      if (pages.has(pathname) || !/^\/docs(?:$|\/(?!assets))/.test(pathname)) continue;
      const response = await test.app.inject(pathname);
      assert.equal(response.statusCode, 200, link);
      assert.match(
        String(response.headers['content-security-policy']),
        /^default-src 'none'; script-src 'self';/,
      );
      const elements = listElements(response.body);
      const ids = elements.flatMap(({ attributes }) => attributes.id ?? []);
      assert.equal(new Set(ids).size, ids.length, `${link} has an id twice`);
      pages.set(pathname, new Set(ids));
      const addresses = elements.flatMap(({ attributes: { href, src } }) => href ?? src ?? []);
      links.push(
        ...addresses
          .filter(address => !/^https?:/.test(address))
          .map(address => (address.startsWith('#') ? pathname + address : address)),
      );
    }
    assert.ok(pages.size > 140, String(pages.size));
    for (const anchor of anchors) {
      const [path = '', id = ''] = anchor.split('#');
      assert.ok(pages.get(path)?.has(id), `${anchor} does not exist`);
    }
    const allIds = new Set([...pages.values()].flatMap(ids => [...ids]));
    for (const { operationId } of listOperations()) assert.ok(allIds.has(operationId), operationId);
  });

  it('returns 304 for a matching ETag and 404 for unknown pages', async () => {
    const page = await test.app.inject('/docs/runs/');
    const headers = { 'if-none-match': String(page.headers.etag) };
    assert.equal((await test.app.inject({ url: '/docs/runs', headers })).statusCode, 304);
    assert.equal((await test.app.inject('/docs/nothing')).statusCode, 404);
  });

  it('contains no inline scripts', async () => {
    const page = await test.app.inject('/docs/content');
    assert.doesNotMatch(page.body, /<script(?! src="\/docs\/assets)/);
  });
});

describe('code samples of the API reference', () => {
  const readCode = (operation: Operation, language: CodeSample['language']): string =>
    listSamples(operation, url).find(sample => sample.language === language)?.code ?? '';
  const find = (id: string): Operation =>
    listOperations().find(({ operationId }) => operationId === id) ?? assert.fail(id);
  const env = () => ({ ...process.env, GRAPHWRIGHT_API_KEY: user.key });

  it('have valid syntax for every operation', async t => {
    for (const operation of listOperations())
      await transform(readCode(operation, 'JavaScript'), { format: 'esm', target: 'es2022' });
    const shell = listOperations().map(operation => readCode(operation, 'curl'));
    await run('bash', ['-n', '-c', shell.join('\n')]);
    const python = 'import sys, json\nfor code in json.load(open(0)): compile(code, "sample", "exec")';
    const child = run('python3', ['-c', python]);
    child.child.stdin?.end(JSON.stringify(listOperations().map(operation => readCode(operation, 'Python'))));
    await child.catch(err => {
      if (err.code === 'ENOENT') t.skip('there is no python3 here');
      else throw err;
    });
  });

  it('run in each language', async t => {
    const create = find('createWorkflow');
    const { stdout } = await run('bash', ['-c', `${readCode(create, 'curl')} --silent --fail`], {
      env: env(),
    });
    assert.match(JSON.parse(stdout).id, /^wf_/);
    const javaScript = readCode(create, 'JavaScript').replace('@graphwright/sdk', SDK);
    const program = await run(process.execPath, ['--input-type=module', '-e', javaScript], { env: env() });
    assert.match(program.stdout, /id: 'wf_/);
    const list = readCode(find('listWorkflows'), 'JavaScript').replace('@graphwright/sdk', SDK);
    assert.match(
      (await run(process.execPath, ['--input-type=module', '-e', list], { env: env() })).stdout,
      /wf_/,
    );
    await run('python3', ['-c', readCode(create, 'Python')], { env: env() }).then(
      ({ stdout }) => assert.match(stdout, /^201 \{"id":"wf_/),
      err => {
        if (err.code === 'ENOENT') t.skip('there is no python3 here');
        else throw err;
      },
    );
  });
});
