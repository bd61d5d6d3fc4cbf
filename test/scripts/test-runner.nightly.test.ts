// Runs the test runner on small folders of tests that pass, fail, fail once, crash or hang.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { listChangedFiles } from '../../scripts/tests/changed-files.ts';
import { waitUntil } from '../support/processes.ts';

const RUNNER = join(import.meta.dirname, '../../scripts/test.ts');

const IMPORT = "import { it } from 'node:test';\nimport { existsSync, writeFileSync } from 'node:fs';\n";
const PASSES = `${IMPORT} it('passes', () => {});`;
const FAILS = `${IMPORT} it('always fails', () => { throw new Error('broken\\nand more'); });`;
const FAILS_ONCE = `${IMPORT} it('fails once', () => {
  if (existsSync('state')) return;
  writeFileSync('state', '');
  throw new Error('bad luck\\nand more');
});`;
const CRASHES = `${IMPORT} it('crashes', () => process.kill(process.pid, 'SIGKILL'));`;
const CRASHES_ONCE = `${IMPORT} it('crashes once', () => {
  if (existsSync('crashed')) return;
  writeFileSync('crashed', '');
  process.exit(0);
});`;
const HANGS = `${IMPORT} it('hangs', () => {
  writeFileSync('hangs', '');
  return new Promise(resolve => setTimeout(resolve, 600_000));
});`;
const IS_NIGHTLY = `${IMPORT} it('is nightly', () => { if (process.env.NIGHTLY !== '1') throw new Error('by day'); });`;
/** Like a service that cannot be closed. */
const STAYS_OPEN = `import { after, it } from 'node:test';
import { shared } from '${join(import.meta.dirname, '../support/shared.ts')}';
const open = shared(async () => ({ close: async () => { throw new Error('not closed'); } }));
it('opens', open);`;

describe('the test runner', () => {
  const roots: string[] = [];
  after(() => {
    for (const root of roots) rmSync(root, { recursive: true, force: true });
  });

  const createRoot = (files: Readonly<Record<string, string>>): string => {
    const root = mkdtempSync(join(tmpdir(), 'graphwright-runner-'));
    roots.push(root);
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(join(root, dirname(file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
    return root;
  };

  const start = (root: string, ...runnerArguments: readonly string[]) => {
    const child = spawn(process.execPath, [RUNNER, `--root=${root}`, ...runnerArguments], {
      // These tests need no server.
      env: { ...process.env, GRAPHWRIGHT_TEST_POSTGRES: '{}' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, output }));
    return { pid: child.pid ?? 0, ended };
  };
  const run = (root: string, ...runnerArguments: readonly string[]) => start(root, ...runnerArguments).ended;

  /** Returns the count of the last summary. */
  const lastCount = (output: string, name: string): number =>
    Number([...output.matchAll(new RegExp(`^ℹ ${name} (\\d+)$`, 'gm'))].at(-1)?.[1]);
  const listedIn = (root: string): readonly string[] =>
    existsSync(join(root, 'test/flaky.txt'))
      ? readFileSync(join(root, 'test/flaky.txt'), 'utf8').split('\n').slice(1, -1)
      : [];

  it('passes if all tests pass, without those of the night', async () => {
    const root = createRoot({
      'test/a.test.ts': PASSES,
      'test/a.slow.test.ts': PASSES,
      'test/deep/a.alone.test.ts': PASSES,
      'test/a.nightly.test.ts': FAILS,
    });
    const { code, output } = await run(root, '--record');
    assert.equal(code, 0, output);
    assert.equal(lastCount(output, 'pass'), 3);
    assert.deepEqual(listedIn(root), []);
    const durations = JSON.parse(readFileSync(join(root, 'test/durations.json'), 'utf8')) as object;
    assert.deepEqual(Object.keys(durations), [
      'test/a.slow.test.ts',
      'test/a.test.ts',
      'test/deep/a.alone.test.ts',
    ]);
  });

  it('passes if the failed tests pass alone, and lists them', async () => {
    const root = createRoot({
      'test/a.test.ts': PASSES,
      'test/once.test.ts': FAILS_ONCE,
      'test/b.slow.test.ts': PASSES,
      'test/crash.slow.test.ts': CRASHES_ONCE,
      'test/d.slow.test.ts': PASSES,
    });
    writeFileSync(join(root, 'test/flaky.txt'), '# A comment.\ntest/a.test.ts\ntest/removed.test.ts\n');
    const { code, output } = await run(root);
    assert.equal(code, 0, output);
    assert.match(output, /^FLAKY test\/once\.test\.ts: fails once: bad luck$/m);
    assert.match(output, /^FLAKY test\/crash\.slow\.test\.ts: its process: /m);
    assert.doesNotMatch(output, /FLAKY test\/[bd]/);
    assert.deepEqual(listedIn(root), ['test/a.test.ts', 'test/crash.slow.test.ts', 'test/once.test.ts']);
    assert.equal(lastCount(output, 'fail'), 0);
  });

  it('fails if a test fails again, crashes again or cannot be loaded', async () => {
    const root = createRoot({
      'test/a.slow.test.ts': PASSES,
      'test/crash.slow.test.ts': CRASHES,
      'test/fails.test.ts': FAILS,
      'test/once.test.ts': FAILS_ONCE,
      'test/syntax.test.ts': 'it(',
    });
    const { code, output } = await run(root);
    assert.equal(code, 1);
    assert.match(output, /^FAILED test\/fails\.test\.ts: always fails: broken$/m);
    assert.match(output, /^FAILED test\/crash\.slow\.test\.ts: /m);
    assert.match(output, /^FAILED test\/syntax\.test\.ts: /m);
    assert.doesNotMatch(output, /(?:FAILED|FLAKY) test\/a\./);
    assert.deepEqual(listedIn(root), ['test/once.test.ts']);
    // The test that the crash has prevented.
    assert.match(output, /✔ passes/);
  });

  it('fails if the process of tests that pass cannot close what they share', async () => {
    const { code, output } = await run(createRoot({ 'test/open.test.ts': STAYS_OPEN }));
    assert.equal(code, 1);
    assert.match(output, /^FAILED test\/open\.test\.ts: .*not closed$/m);
  });

  it('passes if a test ends its process once with exit code 0', async () => {
    const root = createRoot({ 'test/crash.test.ts': CRASHES_ONCE, 'test/a.test.ts': PASSES });
    const { code, output } = await run(root);
    assert.equal(code, 0, output);
    assert.deepEqual(listedIn(root), ['test/crash.test.ts']);
  });

  it('runs only the given files and folders, and passes arguments to Node', async () => {
    const root = createRoot({
      'test/a.test.ts': PASSES,
      'test/b/b.test.ts': PASSES,
      'test/b/b.nightly.test.ts': FAILS,
      'test/c.test.ts': FAILS,
    });
    const { code, output } = await run(root, 'test/a.test.ts', 'test/b/');
    assert.equal(code, 0, output);
    assert.equal(lastCount(output, 'tests'), 2);
    const filtered = await run(
      root,
      '--test-reporter=tap',
      '--test-name-pattern=always',
      'test/a.test.ts',
      'test/b/b.nightly.test.ts',
    );
    assert.equal(filtered.code, 1);
    assert.match(filtered.output, /^# fail 1$/m);
    assert.match(filtered.output, /^FAILED test\/b\/b\.nightly\.test\.ts/m);
    assert.doesNotMatch(filtered.output, /(?:FAILED|once more.*) test\/a/);
    assert.equal((await run(root, 'test/typo.test.ts')).code, 1);
  });

  it('does not repeat anything after Ctrl-C', async () => {
    const root = createRoot({ 'test/hangs.slow.test.ts': HANGS, 'test/fails.test.ts': FAILS });
    const { pid, ended } = start(root);
    await waitUntil('the test to run', () => existsSync(join(root, 'hangs')));
    process.kill(-pid, 'SIGINT');
    const { code, output } = await ended;
    assert.equal(code, 130, output);
    assert.doesNotMatch(output, /FAILED|FLAKY|once more/);
    assert.deepEqual(listedIn(root), []);
  });

  it('with --all, runs the tests of the night, fails because of a flaky test and repeats it', async () => {
    const root = createRoot({ 'test/night.nightly.test.ts': IS_NIGHTLY, 'test/once.test.ts': FAILS_ONCE });
    const first = await run(root, '--all', '--repetitions=2');
    assert.equal(first.code, 1);
    assert.match(first.output, /✔ is nightly/);
    assert.match(first.output, /^FLAKY test\/once\.test\.ts/m);
    assert.equal(lastCount(first.output, 'pass'), 2);
    assert.equal((await run(root, '--all', '--repetitions=2')).code, 0);
    rmSync(join(root, 'state'));
    writeFileSync(
      join(root, 'test/once.test.ts'),
      FAILS_ONCE.replaceAll("'state'", 'String(process.env.SLOWDOWN)'),
    );
    const last = await run(root, '--all', '--repetitions=2');
    assert.equal(last.code, 1, 'the first run passes, and a repetition fails');
  });

  it('with --changed, runs the tests that a change touches', async () => {
    const root = createRoot({
      'src/a.ts': 'export const a = 1;',
      'src/b.ts': 'export const b = 1;',
      'test/x/a.test.ts': `${PASSES} import '../../src/a.ts';`,
      'test/x/a.nightly.test.ts': `${PASSES} import '../../src/a.ts';`,
      'test/y/b.test.ts': `${FAILS} import '../../src/b.ts';`,
    });
    const git = (...gitArguments: readonly string[]): Buffer =>
      execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...gitArguments], {
        cwd: root,
        env: { ...process.env, GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z' },
      });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'first');
    assert.deepEqual(listChangedFiles(root), []);
    writeFileSync(join(root, 'src/a.ts'), 'export const a = 2;');
    writeFileSync(join(root, 'src/new.ts'), '');
    assert.deepEqual(listChangedFiles(root), ['src/a.ts', 'src/new.ts']);
    const all = await run(root, '--changed');
    assert.equal(all.code, 0, all.output);
    assert.equal(lastCount(all.output, 'tests'), 2);
    const nightly = await run(root, '--changed', '--nightly-only');
    assert.equal(lastCount(nightly.output, 'tests'), 1);
    writeFileSync(join(root, 'test/durations.json'), '{"test/x/a.nightly.test.ts":20}');
    const limited = await run(root, '--changed', '--max-seconds=10');
    assert.equal(lastCount(limited.output, 'tests'), 1);
    assert.match(limited.output, /^Left to .*: test\/x\/a\.nightly\.test\.ts$/m);
    git('add', '.');
    git('commit', '-qm', 'second');
    assert.match((await run(root, '--changed')).output, /There are no such tests/);
  });
});
