// The command line as a process: what it prints where, and its exit codes.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { listSettings } from '../../src/lib/settings.ts';

const BIN = join(import.meta.dirname, '..', '..', 'bin', 'graphwright.js');
// A port that was free a moment ago.
const closedPort = await new Promise<number>(resolve => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    server.close(() => resolve(port));
  });
});
const NOBODY = {
  GRAPHWRIGHT_URL: `http://127.0.0.1:${closedPort}`,
  GRAPHWRIGHT_API_KEY: 'sk-0123456789abcdef',
};

const folder = mkdtempSync(join(tmpdir(), 'graphwright-cli-'));
after(() => rmSync(folder, { recursive: true }));

interface Result {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function graphwright(args: readonly string[], settings: Readonly<Record<string, string>> = {}): Result {
  const env = { ...process.env };
  for (const { name } of listSettings()) delete env[name];
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    env: { ...env, DATA_DIR: join(folder, 'data'), ...settings },
    encoding: 'utf8',
    timeout: 30_000,
  });
  return { code: status, out: stdout, err: stderr };
}

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
  it('prints the help with every setting, and the version', () => {
    const { code, out } = graphwright(['--help']);
    assert.equal(code, 0);
    for (const { name } of listSettings()) assert.match(out, new RegExp(`^  ${name} `, 'm'));
    assert.match(graphwright(['--version']).out, /^\d+\.\d+\.\d+\n$/);
  });

  it('prints examples with the help of every command', () => {
    for (const command of ['serve', 'worker', 'migrate', 'run', 'lint', 'nodes', 'doctor']) {
      const { code, out } = graphwright([command, '--help']);
      assert.equal(code, 0);
      assert.match(out, /Examples:\n {2}\$ /, command);
    }
  });

  it('lists the node types as JSON, and as plain lines in a pipe', () => {
    const entries: unknown = JSON.parse(graphwright(['nodes', '--json']).out);
    assert.ok(Array.isArray(entries) && entries.some(entry => entry.nodeType === 'input:text'));
    const { out } = graphwright(['nodes', '--category', 'logic']);
    assert.match(out, /^logic:if /m);
    assert.doesNotMatch(out, /input:text/);
    assert.ok(!out.includes('\u001b'), 'no colours');
  });

  it('passes a workflow without faults', () => {
    const path = file('good.json', {
      name: 'Good',
      nodes: [node('a', 'input:text', { value: 'hello' })],
      edges: [],
    });
    assert.deepEqual(graphwright(['lint', path]), {
      code: 0,
      out: `${path}: nothing to find fault with.\n`,
      err: '',
    });
  });
});

describe('exit code 1', () => {
  it('names each error of a workflow on stdout', () => {
    const path = file('bad.json', { name: 'Bad', nodes: [node('a', 'input:txt')], edges: [] });
    const { code, out, err } = graphwright(['lint', path]);
    assert.equal(code, 1);
    assert.match(out, /^error .*input:txt/m);
    assert.equal(out.split('input:text').length, 2, 'the suggestion stands there once');
    assert.equal(err, '');
    const report = JSON.parse(graphwright(['lint', path, '--json']).out) as {
      ok: boolean;
      issues: unknown[];
    };
    assert.equal(report.ok, false);
    assert.ok(report.issues.length > 0);
  });

  it('says in a sentence that no service answers', () => {
    const { code, out, err } = graphwright(['run', `wf_${'0'.repeat(26)}`], NOBODY);
    assert.equal(code, 1);
    assert.equal(out, '');
    assert.match(
      err,
      /^graphwright: The connection to http:\/\/127\.0\.0\.1:\d+ failed \(ECONNREFUSED\)\. Start the service .*\n$/,
    );
  });

  it('shows the stack where LOG_LEVEL is debug, and only there', () => {
    const settings = { ...NOBODY, LOG_LEVEL: 'debug' };
    assert.match(graphwright(['run', `wf_${'0'.repeat(26)}`], settings).err, /\n {4}at /);
  });
});

describe('exit code 2', () => {
  const cases: Readonly<Record<string, readonly [args: readonly string[], message: RegExp]>> = {
    'for an unknown command': [['bogus'], /unknown command 'bogus'/],
    'for an unknown option': [['nodes', '--bogus'], /unknown option '--bogus'/],
    'for a missing argument': [['lint'], /missing required argument 'file'/],
    'for a file that is not there': [
      ['lint', 'no-such-file.json'],
      /no-such-file\.json cannot be read: there is no such file/,
    ],
    'for an unknown node type': [['nodes', 'input:txt'], /no node type input:txt/],
    'for an unknown category': [['nodes', '--category', 'x'], /--category must be one of/],
    'where the key is not set': [['run', `wf_${'0'.repeat(26)}`], /GRAPHWRIGHT_API_KEY is not set/],
  };
  for (const [name, [args, message]] of Object.entries(cases)) {
    it(name, () => {
      const { code, out, err } = graphwright(args);
      assert.equal(code, 2);
      assert.equal(out, '');
      assert.match(err, message);
      assert.equal(err.split('\n').length, 2, 'one line');
    });
  }

  it('for a setting that cannot be used, naming it', () => {
    const { code, err } = graphwright(['nodes'], { PORT: 'abc' });
    assert.equal(code, 2);
    assert.match(err, /PORT must be a whole number/);
  });

  it('for a file that is not JSON, naming the place', () => {
    const { code, err } = graphwright(['lint', file('broken.json', '{\n  "name": 1,\n}')]);
    assert.equal(code, 2);
    assert.match(err, /broken\.json:3:1 is not JSON: Expected double-quoted property name\.\n$/);
  });

  it('for a file without nodes and edges', () => {
    assert.match(graphwright(['lint', file('list.json', [])]).err, /needs "nodes" and "edges"/);
  });

  it('for no command at all, with the help on stderr', () => {
    const { code, out, err } = graphwright([]);
    assert.equal(code, 2);
    assert.equal(out, '');
    assert.match(err, /^Usage: graphwright/);
  });
});
