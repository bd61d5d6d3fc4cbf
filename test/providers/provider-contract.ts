// Tests the rules of all providers: a call is submitted once, whatever fails, and no result is lost.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Endpoint, Provider, ProviderTask } from '../../src/providers/provider.ts';
import type { DownloadedOutput } from '../../src/providers/run-call.ts';
import { waitUntil } from '../support/processes.ts';
import type { Double } from '../support/providers/double.ts';
import {
  FAST_PACE,
  type HostOptions,
  makeHost,
  runToEnd,
  type TestHost,
  UNREACHABLE_URL,
} from '../support/providers/host.ts';

export interface Contract<Call> {
  readonly start: () => Promise<Double>;
  readonly connect: (endpoint: Endpoint) => Provider<Call>;
  readonly key: string;
  readonly call: Call;
  /** Matches the method and path of the request that may be billed. */
  readonly submission: RegExp;
  readonly check: (delivery: DownloadedOutput) => void;
  /** Only for providers with tasks. */
  readonly tasks?: {
    readonly poll: RegExp;
    readonly cancel: RegExp;
    /** Makes the double continue the task until it is cancelled. */
    readonly delay: (double: Double) => void;
  };
  /** Only for providers whose files have to be downloaded. */
  readonly download?: RegExp;
}

export function testContract<Call>(name: string, contract: Contract<Call>): void {
  describe(`the provider contract of ${name}`, () => {
    let double: Double;
    let hosts: TestHost[];
    const provider = (url = double.url): Provider<Call> => ({
      ...contract.connect({ baseUrl: url, key: contract.key }),
      pace: FAST_PACE,
    });
    const host = (options?: HostOptions): TestHost => {
      const created = makeHost(double.url, { key: contract.key, ...options });
      hosts.push(created);
      return created;
    };
    const run = (options?: HostOptions) => runToEnd(provider(), contract.call, host(options));
    beforeEach(async () => {
      double = await contract.start();
      hosts = [];
    });
    afterEach(async () => {
      for (const created of hosts) await created.close();
      await double.close();
    });
    const countSubmissions = (): number => double.count(contract.submission);

    it('submits once and returns the result', async () => {
      contract.check(await run());
      assert.equal(countSubmissions(), 1);
    });

    it('sends nothing if its record cannot be stored', async () => {
      const onSave = (): void => {
        throw new Error('The lease is gone.');
      };
      await assert.rejects(run({ onSave }), /lease is gone/);
      assert.deepEqual(double.requests, []);
    });

    it('submits again after 429', async () => {
      double.failRequests(contract.submission, { status: 429, headers: { 'retry-after': '0' } }, 3);
      contract.check(await run());
      assert.equal(countSubmissions(), 4);
    });

    it('fails if a 429 requires a longer wait than the limit', async () => {
      double.failRequests(contract.submission, { status: 429, headers: { 'retry-after': '3600' } });
      await assert.rejects(run(), { code: 'provider_rate_limited' });
      assert.equal(countSubmissions(), 1);
    });

    it('submits again if no connection was made', async () => {
      const created = host();
      let refusals = 2;
      const fetch: TestHost['fetch'] = (url, init) => {
        const isRefused =
          contract.submission.test(`${init.method} ${new URL(url).pathname}`) && refusals-- > 0;
        return created.fetch(isRefused ? UNREACHABLE_URL : url, init);
      };
      contract.check(await runToEnd(provider(), contract.call, { ...created, fetch }));
      assert.equal(countSubmissions(), 1);
    });

    it('reports a wrong key without revealing it', async () => {
      double.failRequests(contract.submission, { status: 401, body: { error: `bad key ${contract.key}` } });
      await assert.rejects(run(), (err: Error & { code: string }) => {
        assert.equal(err.code, 'provider_auth');
        assert.ok(contract.key === '' || !err.message.includes(contract.key));
        return true;
      });
      assert.equal(countSubmissions(), 1);
    });

    if (contract.tasks === undefined) testUnknownOutcome();
    else testTasks(contract.tasks);

    function testUnknownOutcome(): void {
      for (const fault of ['reset', { status: 500 }, { status: 502 }, { status: 504 }] as const) {
        it(`reports an unknown outcome after ${JSON.stringify(fault)} and does not submit again`, async () => {
          double.failResponses(contract.submission, fault);
          await assert.rejects(run(), { code: 'provider_outcome_unknown' });
          assert.equal(countSubmissions(), 1);
        });
      }

      it('does not submit again if another worker takes over', async () => {
        const stored: ProviderTask = { provider: provider().name, id: null };
        await assert.rejects(run({ stored }), { code: 'provider_outcome_unknown' });
        assert.deepEqual(double.requests, []);
      });
    }

    function testTasks({ poll, cancel, delay }: NonNullable<Contract<Call>['tasks']>): void {
      if (provider('http://localhost').tasks?.acceptsChosenIds !== true) testUnknownOutcome();

      it('continues with the stored id if another worker takes over', async () => {
        const first = host();
        await runToEnd(provider(), contract.call, first);
        const stored = first.storedTasks.at(-1);
        assert.notEqual(stored?.id, null);
        contract.check(await run({ ...(stored === undefined ? {} : { stored }) }));
        assert.equal(countSubmissions(), 1);
      });

      it('continues to poll after failed polls', async () => {
        for (const fault of ['reset', { status: 503 }, { status: 502 }, { status: 429 }] as const)
          double.failRequests(poll, fault, 2);
        contract.check(await run());
        assert.equal(countSubmissions(), 1);
      });

      it('cancels the task if the run is cancelled', async () => {
        delay(double);
        const stop = new AbortController();
        const running = run({ signal: stop.signal });
        await waitUntil('a request to the double', () => double.count(poll) > 0);
        stop.abort('cancelled');
        await assert.rejects(running, reason => reason === 'cancelled');
        assert.equal(double.count(cancel), 1);
      });

      it('does not cancel the task if the worker releases the run', async () => {
        delay(double);
        const stop = new AbortController();
        const running = run({ signal: stop.signal });
        await waitUntil('a request to the double', () => double.count(poll) > 0);
        stop.abort('released');
        await assert.rejects(running, reason => reason === 'released');
        assert.equal(double.count(cancel), 0);
      });

      it('cancels the task when its deadline passes', async () => {
        delay(double);
        const impatientProvider = { ...provider(), pace: { ...FAST_PACE, deadlineMs: 100 } };
        await assert.rejects(runToEnd(impatientProvider, contract.call, host()), {
          code: 'provider_timeout',
        });
        assert.equal(double.count(cancel), 1);
      });

      it('cancels the task if its id cannot be stored', async () => {
        let records = 0;
        const onSave = (): void => {
          if (++records === 2) throw new Error('The lease is gone.');
        };
        delay(double);
        await assert.rejects(run({ onSave }), /lease is gone/);
        // A task with a chosen id belongs to the worker that has taken over the run.
        assert.equal(double.count(cancel), provider().tasks?.acceptsChosenIds === true ? 0 : 1);
      });

      it('cancels the task if the run is cancelled during the submission', async () => {
        delay(double);
        const stop = new AbortController();
        const created = host({ signal: stop.signal });
        const fetch: TestHost['fetch'] = (url, init) => {
          if (contract.submission.test(`${init.method} ${new URL(url).pathname}`)) stop.abort('cancelled');
          return created.fetch(url, init);
        };
        const running = runToEnd(provider(), contract.call, { ...created, fetch });
        await assert.rejects(running, reason => reason === 'cancelled');
        assert.equal(countSubmissions(), 1);
        assert.equal(double.count(cancel), 1);
      });
    }

    const { download } = contract;
    if (download !== undefined) {
      it('retries downloads until it has all files', async () => {
        double.failRequests(download, 'reset', 2);
        double.failRequests(download, { status: 503 }, 2);
        contract.check(await run());
      });

      it('reports a deleted file', async () => {
        double.failRequests(download, { status: 404 });
        await assert.rejects(run(), { code: 'provider_lost' });
        assert.equal(countSubmissions(), 1);
      });
    }
  });
}
