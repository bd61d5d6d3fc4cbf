// Tests programs in their sandbox: results, failures, and that hostile programs do not affect later programs.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_LOG_LENGTH, MAX_MESSAGE_LENGTH, type ProgramResult } from '../../src/sandbox/program.ts';
import { runProgram } from '../../src/sandbox/run-program.ts';
import { isNightly } from '../support/tier.ts';
import { workAs } from '../support/work.ts';
import { HOSTILE_PROGRAMS } from './hostile-programs.ts';

interface Limits {
  readonly timeoutMs?: number;
  readonly memoryMb?: number;
  readonly account?: string;
  readonly signal?: AbortSignal;
}

/** The hostile programs that run by day, at least one for each kind of failure. */
const DAILY_PROGRAMS: readonly (keyof typeof HOSTILE_PROGRAMS)[] = [
  'an endless loop that catches errors',
  'a text that doubles',
  'a deep recursion',
  'a promise that never settles',
  'timers without end',
  'an output over the limit',
  'an import',
  'the global object of Node',
  'the constructor of a function',
  'a replaced JSON',
  'parentheses without end',
  'a syntax error',
  'no default export',
];

const NEVER = new AbortController().signal;

function run(
  code: string,
  input: unknown = {},
  { timeoutMs = 20_000, memoryMb = 64, account = '1', signal = NEVER }: Limits = {},
): Promise<ProgramResult> {
  const program = { code, input: JSON.stringify(input), timeoutMs, memoryMb };
  return workAs(account, () => runProgram(program, { signal }));
}

function parseOutput(result: ProgramResult): unknown {
  assert.ok('output' in result, JSON.stringify(result));
  return JSON.parse(result.output);
}

describe('runProgram', () => {
  it('runs TypeScript and returns the result of the default export', async () => {
    const result = await run(
      'interface In { a: number }\nexport default async ({ a }: In) => ({ double: a * 2 })',
      { a: 21 },
    );
    assert.deepEqual(parseOutput(result), { double: 42 });
  });

  it('gives a program the same time and random numbers for the same input', async () => {
    const code = 'export default () => ({ at: Date.now(), now: new Date().toISOString(), r: Math.random() })';
    const [first, second, other] = [await run(code), await run(code), await run(code, { a: 1 })];
    assert.deepEqual(first, second);
    assert.notDeepEqual(first, other);
    const { at, now } = parseOutput(first) as { readonly at: number; readonly now: string };
    assert.equal(new Date(at).toISOString(), now);
  });

  it('runs timers in order without waiting', async () => {
    const code = `export default async () => {
      const order = [];
      setTimeout(() => order.push('day'), 86_400_000);
      const never = setTimeout(() => order.push('never'), 5);
      clearTimeout(never);
      await new Promise(done => setTimeout(done, 1000));
      order.push('second');
      await new Promise(done => setTimeout(done, 86_400_000));
      return { order };
    }`;
    assert.deepEqual(parseOutput(await run(code)), { order: ['second', 'day'] });
  });

  it('returns the log of a program up to a limit, also for a failed program', async () => {
    const code =
      'export default () => { console.log("a", 1, { b: [2] }); console.error(new TypeError("c")); throw new Error("d") }';
    const { log } = await run(code);
    assert.equal(log, 'a 1 {"b":[2]}\nTypeError: c\n');
    const longResult = await run(
      'export default () => { for (let i = 0; i < 5000; i++) console.log("x".repeat(99)); return {} }',
    );
    assert.equal(longResult.log.length, MAX_LOG_LENGTH);
  });

  it('returns the line and column of an error in the TypeScript source', async () => {
    const cases = [
      ['type A = { b: number };\nexport default (a: A) => {\n  return { c: (null as any).d };\n}', 3, 28],
      ['export default () => ({});\nconst = 3;', 2, 7],
      ['enum A { B }\nexport default () => ({})', 1, 1],
    ] as const;
    for (const [code, line, column] of cases) {
      const result = await run(code);
      assert.ok('error' in result);
      assert.deepEqual([result.error.line, result.error.column], [line, column], JSON.stringify(result));
    }
  });

  it('ends each hostile program with an error and can run another program afterwards', async () => {
    for (const [name, [code, ...expected]] of Object.entries(HOSTILE_PROGRAMS)) {
      if (!isNightly && !DAILY_PROGRAMS.includes(name)) continue;
      const result = await run(code, {}, { timeoutMs: 500, memoryMb: 32 });
      assert.ok('error' in result, `${name}: ${JSON.stringify(result).slice(0, 500)}`);
      // On a busy machine, any program may reach the time limit first.
      assert.ok(
        [...expected, 'program_timeout'].includes(result.error.code),
        `${name}: ${JSON.stringify(result)}`,
      );
      assert.deepEqual(parseOutput(await run('export default ({ a }) => ({ a })', { a: name })), { a: name });
    }
  });

  it('truncates long error messages', async () => {
    const texts = ['new Error("x".repeat(2e7))', '"ä".repeat(1e7)', '{ a: "x".repeat(2e7) }'];
    for (const text of texts) {
      const result = await run(`export default () => { throw ${text} }`);
      assert.ok('error' in result);
      assert.deepEqual(
        [result.error.code, result.error.message.length],
        ['program_failed', MAX_MESSAGE_LENGTH],
      );
    }
    const result = await run('export default () => { throw 7n }');
    assert.ok('error' in result);
    assert.equal(result.error.message, 'The program threw 7.');
  });

  it('shares nothing between programs', async () => {
    await run('globalThis.leak = 1; Object.prototype.leak = 1; export default () => ({})');
    assert.deepEqual(parseOutput(await run('export default () => ({ leak: typeof ({}).leak })')), {
      leak: 'undefined',
    });
  });

  it('stops a program that is aborted before or after its start', { timeout: 60_000 }, async () => {
    for (const delayMs of [0, 200]) {
      const controller = new AbortController();
      const endless = run(
        'export default () => { for (;;); }',
        {},
        { signal: controller.signal, timeoutMs: 600_000 },
      );
      const rejection = assert.rejects(endless, { message: 'cancelled' });
      if (delayMs > 0) await sleep(delayMs);
      controller.abort(new Error('cancelled'));
      await rejection;
      assert.deepEqual(parseOutput(await run('export default () => ({ a: 1 })')), { a: 1 }, `${delayMs} ms`);
    }
  });

  it('runs programs of an account while another account runs endless programs', async () => {
    const controller = new AbortController();
    const endless = Array.from({ length: 8 }, () =>
      run('export default () => { for (;;); }', {}, { signal: controller.signal, timeoutMs: 30_000 }),
    );
    assert.deepEqual(parseOutput(await run('export default () => ({ a: 1 })', {}, { account: '2' })), {
      a: 1,
    });
    controller.abort(new Error('over'));
    for (const { status } of await Promise.allSettled(endless)) assert.equal(status, 'rejected');
  });
});
