// Runs the commands of the documentation as printed, against a service.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  BIN,
  cleanEnv,
  KEY,
  ownAddressSettings,
  startTestService,
  type TestService,
} from './support/service.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter(name => name.endsWith('.md'))
    .map(name => `docs/${name}`),
];
/** The variables that the pages share, so that a reader sets them once. */
const VARIABLES = ['BASE_URL', 'API_KEY', 'WORKFLOW_ID', 'EXECUTION_ID', 'CONTENT_WEBHOOK_SECRET'];
/** A PNG of one pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const TIMEOUT_MS = 60_000;

/** What cannot run here, and why. */
const SKIPPED: Readonly<Record<string, RegExp>> = {
  'has a value to fill in': /…/,
  'needs a provider or its key': /^graphwright (?:models|credentials) /,
  'needs a ComfyUI server and its file': /portrait\.json|a fox in the snow|"kind": "comfyui"|"pool:video"/,
  'needs a video': /clip\.mp4/,
  'does not end, or takes long': /preview --watch|-o (?:reel|quote)\.mp4/,
  'works on the machine of the service': /^graphwright (?:backup|restore|secrets|doctor)/,
  'is for a host of an example': /graphwright\.example\.com/,
};

/** A shell block of a page, as statements, which may continue on several lines. */
interface Block {
  readonly page: string;
  readonly statements: readonly string[];
}

function readBlocks(page: string): readonly Block[] {
  const blocks = readFileSync(join(ROOT, page), 'utf8').matchAll(/^```sh\n(.*?)^```/gms);
  return [...blocks].map(([, block = '']) => {
    const statements: string[] = [];
    let open = '';
    for (const line of block.split('\n')) {
      open = open === '' ? line : `${open}\n${line}`;
      const quotes = open.replace(/#.*$/gm, '').match(/'/g) ?? [];
      if (line.endsWith('\\') || quotes.length % 2 === 1) continue;
      statements.push(open.replace(/^(?:GRAPHWRIGHT_API_KEY=\S+ )?npm exec graphwright -- /, 'graphwright '));
      open = '';
    }
    return { page, statements: statements.filter(text => COMMAND.test(text)) };
  });
}

const COMMAND = /^(?:[A-Z_]+=\$\()?(?:curl|graphwright) /;
const blocks = PAGES.flatMap(readBlocks);

describe('the commands of the documentation', () => {
  let service: TestService;
  let folder: string;
  before(async () => {
    service = await startTestService({
      ...(await ownAddressSettings()),
      CONTENT_WEBHOOK_SECRET: 'content-secret',
    });
    folder = mkdtempSync(join(tmpdir(), 'graphwright-docs-'));
    cpSync(join(ROOT, 'examples'), join(folder, 'examples'), { recursive: true });
    writeFileSync(join(folder, 'cat.png'), Buffer.from(PNG, 'base64'));
    writeFileSync(join(folder, 'rows.csv'), 'city\nPorto\nFaro\n');
  });
  after(async () => {
    await service?.close();
    rmSync(folder, { recursive: true });
  });

  it('use the same names of variables on all pages', () => {
    const unknown = blocks.flatMap(({ page, statements }) =>
      [...statements.join('\n').matchAll(/\$\{?([A-Z_]+)/g)]
        .filter(([, name = '']) => !VARIABLES.includes(name))
        .map(([, name]) => `${page}: $${name}`),
    );
    assert.deepEqual(unknown, []);
  });

  it('succeed', async () => {
    const postcard: unknown = JSON.parse(readFileSync(join(ROOT, 'examples/postcard.json'), 'utf8'));
    const { body } = await service.request<{ id: string }>('POST', '/workflows', postcard);
    const scripts = blocks.map(({ page, statements }) => ({
      page,
      script: statements
        .map(text =>
          text.replaceAll('http://localhost:3000', '$BASE_URL').replaceAll(/wf_(?:01k)?…/g, '$WORKFLOW_ID'),
        )
        .filter(text => !Object.values(SKIPPED).some(pattern => pattern.test(text)))
        .join('\n'),
    }));
    const nonEmpty = scripts.filter(({ script }) => script !== '');
    assert.ok(nonEmpty.length > 15, `only ${nonEmpty.length} blocks have commands that can run`);
    const failures: string[] = [];
    // One after the other, as a reader would: later ones use what earlier ones made.
    for (const { page, script } of nonEmpty) {
      const problem = await runScript(script, body.id);
      if (problem !== undefined) failures.push(`${page}: ${script}\n${problem}`);
    }
    assert.deepEqual(failures, []);
  });

  /** Runs the commands in bash. Returns their output if one fails, or if a response is an error. */
  function runScript(commands: string, workflowId: string): Promise<string | undefined> {
    const script = `set -eo pipefail
curl() { command curl --fail-with-body -sS --max-time 40 "$@"; }
graphwright() { "${process.execPath}" "${BIN}" "$@"; }
EXECUTION_ID=$(curl -H "Authorization: Bearer $API_KEY" "$BASE_URL/api/v1/executions?limit=1" | grep -o 'ex_[a-z0-9]*' | head -1 || true)
${commands}`;
    const env = {
      ...cleanEnv(),
      BASE_URL: service.url,
      API_KEY: KEY,
      WORKFLOW_ID: workflowId,
      CONTENT_WEBHOOK_SECRET: 'content-secret',
      GRAPHWRIGHT_URL: service.url,
      GRAPHWRIGHT_API_KEY: KEY,
    };
    return new Promise(resolve => {
      const child = execFile(
        'bash',
        ['-c', script],
        { env, cwd: folder, timeout: TIMEOUT_MS, maxBuffer: 64 << 20 },
        (err, out, errors) =>
          resolve(err === null ? undefined : `${child.exitCode}: ${errors}${out.slice(0, 1000)}`),
      );
      child.stdin?.end();
    });
  }
});
