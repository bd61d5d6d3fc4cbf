// Tests the exit codes of the command line, and its output on stdout and stderr.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { listSettings } from '../../src/lib/settings.ts';
import { callCommand, type RunCommand, spawnCommand, spawnFirst } from '../support/command-line.ts';

// No program listens on this port, which was free a moment ago.
const closedPort = await new Promise<number>(resolve => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    server.close(() => resolve(port));
  });
});
const NO_SERVICE = {
  GRAPHWRIGHT_URL: `http://127.0.0.1:${closedPort}`,
  GRAPHWRIGHT_API_KEY: 'sk-0123456789abcdef',
};

const folder = mkdtempSync(join(tmpdir(), 'graphwright-cli-'));
after(() => rmSync(folder, { recursive: true }));

/** Runs a command. The first call in this file starts a process. */
const graphwright: RunCommand = (args, settings) =>
  spawnFirst(args, { DATA_DIR: join(folder, 'data'), ...settings });

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const node = (id: string, nodeType: string, config: object = {}): object => ({
  id,
  type: 'basedNode',
  position: { x: 0, y: 0 },
  data: { label: id, category: nodeType.split(':')[0], nodeType, config },
});

describe('exit code 0', () => {
  it('is returned for --help with a list of every setting', async () => {
    const { code, out } = await graphwright(['--help']);
    assert.equal(code, 0);
    for (const { name } of listSettings()) assert.match(out, new RegExp(`^  ${name} `, 'm'));
    assert.match((await graphwright(['--version'])).out, /^\d+\.\d+\.\d+\n$/);
  });

  it('is returned for the help of a command with examples', async () => {
    for (const command of ['serve', 'worker', 'migrate', 'run', 'lint', 'nodes', 'doctor']) {
      const { code, out } = await callCommand([command, '--help']);
      assert.equal(code, 0);
      assert.match(out, /Examples:\n {2}\$ /, command);
    }
  });

  it('is returned for the nodes command', async () => {
    const entries: unknown = JSON.parse((await graphwright(['nodes', '--json'])).out);
    assert.ok(Array.isArray(entries) && entries.some(entry => entry.nodeType === 'input:text'));
    const { out } = await spawnCommand(['nodes', '--category', 'logic']);
    assert.match(out, /^logic:if /m);
    assert.doesNotMatch(out, /input:text/);
    assert.ok(!out.includes('\u001b'), 'no colours');
  });

  it('is returned for lint of a valid workflow', async () => {
    const path = file('good.json', {
      name: 'Good',
      nodes: [node('a', 'input:text', { value: 'hello' })],
      edges: [],
    });
    assert.deepEqual(await graphwright(['lint', path]), {
      code: 0,
      out: `${path}: no issues found.\n`,
      err: '',
    });
  });
});

describe('exit code 1', () => {
  it('is returned for lint of an invalid workflow, with each error on stdout', async () => {
    const path = file('bad.json', { name: 'Bad', nodes: [node('a', 'input:txt')], edges: [] });
    const { code, out, err } = await graphwright(['lint', path]);
    assert.equal(code, 1);
    assert.match(out, /^error .*input:txt/m);
    assert.equal(out.split('input:text').length, 2, 'the suggestion is printed once');
    assert.equal(err, '');
    const report = JSON.parse((await graphwright(['lint', path, '--json'])).out) as {
      ok: boolean;
      issues: unknown[];
    };
    assert.equal(report.ok, false);
    assert.ok(report.issues.length > 0);
  });

  it('is returned with a message if no service responds', async () => {
    const { code, out, err } = await graphwright(['run', `wf_${'0'.repeat(26)}`], NO_SERVICE);
    assert.equal(code, 1);
    assert.equal(out, '');
    assert.match(
      err,
      /^graphwright: The connection to http:\/\/127\.0\.0\.1:\d+ failed \(ECONNREFUSED\)\. Start the service .*\n$/,
    );
  });

  it('is returned with a stack if LOG_LEVEL is debug', async () => {
    const settings = { ...NO_SERVICE, LOG_LEVEL: 'debug' };
    assert.match((await graphwright(['run', `wf_${'0'.repeat(26)}`], settings)).err, /\n {4}at /);
  });
});

describe('exit code 2', () => {
  const cases: Readonly<Record<string, readonly [args: readonly string[], message: RegExp]>> = {
    'for an unknown command': [['bogus'], /unknown command 'bogus'/],
    'for an unknown option': [['nodes', '--bogus'], /unknown option '--bogus'/],
    'for a missing argument': [['lint'], /missing required argument 'file'/],
    'for a missing file': [
      ['lint', 'no-such-file.json'],
      /no-such-file\.json cannot be read: file not found/,
    ],
    'for an unknown node type': [
      ['nodes', 'input:txt'],
      /[Nn]ode type "input:txt"\. Did you mean "input:text"\? `graphwright nodes`/,
    ],
    'for an unknown category': [['nodes', '--category', 'x'], /--category must be one of/],
    'if the key is not set': [['run', `wf_${'0'.repeat(26)}`], /GRAPHWRIGHT_API_KEY is not set/],
  };
  for (const [name, [args, message]] of Object.entries(cases)) {
    it(`is returned ${name}`, async () => {
      const { code, out, err } = await graphwright(args);
      assert.equal(code, 2);
      assert.equal(out, '');
      assert.match(err, message);
      assert.equal(err.split('\n').length, 2, 'one line');
    });
  }

  it('is returned with the name of an invalid setting', async () => {
    const { code, err } = await graphwright(['nodes'], { PORT: 'abc' });
    assert.equal(code, 2);
    assert.match(err, /PORT must be an integer/);
  });

  it('is returned with the position of invalid JSON in a file', async () => {
    const { code, err } = await graphwright(['lint', file('broken.json', '{\n  "name": 1,\n}')]);
    assert.equal(code, 2);
    assert.match(err, /broken\.json:3:1 is not JSON: Expected double-quoted property name\.\n$/);
  });

  it('is returned for a file without nodes and edges', async () => {
    assert.match((await graphwright(['lint', file('list.json', [])])).err, /needs "nodes" and "edges"/);
  });

  it('is returned without a command, with the help on stderr', async () => {
    const { code, out, err } = await graphwright([]);
    assert.equal(code, 2);
    assert.equal(out, '');
    assert.match(err, /^Usage: graphwright/);
  });
});
