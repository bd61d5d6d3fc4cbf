// Runs calls with random faults, and checks that each call is submitted at most once.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { createFalProvider, type FalCall } from '../../src/providers/fal.ts';
import { ProviderError } from '../../src/providers/provider-error.ts';
import type { Double, Fault } from '../support/providers/double.ts';
import { startFal } from '../support/providers/fal.ts';
import { FAST_PACE, makeHost, runToEnd, type TestHost, UNREACHABLE_URL } from '../support/providers/host.ts';
import { isNightly } from '../support/tier.ts';

const SEED = 20_261_121;
const CALLS = isNightly ? 150 : 30;
const CALL: FalCall = { model: 'fal-ai/flux-1/dev', input: { prompt: 'a fox' } };
// A provider that responds with 429 has not accepted the call. After any other fault, the outcome is unknown.
const RATE_LIMITED: Fault = { status: 429, headers: { 'retry-after': '0' } };
const FAULTS: readonly Fault[] = [
  'reset',
  { status: 500 },
  { status: 502 },
  { status: 503 },
  { status: 504 },
];
const EXPECTED_CODES = new Set([
  'provider_outcome_unknown',
  'provider_failed',
  'provider_unavailable',
  'provider_timeout',
  'provider_rate_limited',
]);

/** Returns a host whose requests sometimes fail: before they are sent, on their way, or on the way back. */
function addFaults(double: Double, host: TestHost, random: () => number): TestHost {
  return {
    ...host,
    fetch: (url, init) => {
      const chance = random();
      const fault = FAULTS[Math.floor(random() * FAULTS.length)] ?? 'reset';
      const match = new RegExp(`^${init.method} `);
      if (chance < 0.05) double.failRequests(match, RATE_LIMITED);
      else if (chance < 0.1) double.failRequests(match, fault);
      else if (chance < 0.2) double.failResponses(match, fault);
      return host.fetch(chance > 0.95 ? UNREACHABLE_URL : url, init);
    },
  };
}

async function callOnce(random: () => number): Promise<string> {
  const file = Buffer.from('a picture');
  const double = await startFal(file);
  const host = makeHost(double.url);
  try {
    double.result = { status: 200, body: { images: [{ url: `${double.url}/files/a.png` }] } };
    const provider = {
      ...createFalProvider({ baseUrl: double.url, key: 'fal-key' }),
      pace: { ...FAST_PACE, firstMs: 1, maxMs: 2 },
    };
    const { files } = await runToEnd(provider, CALL, addFaults(double, host, random));
    assert.deepEqual(files, [file]);
    assert.equal(double.accepted.length, 1);
    return 'delivered';
  } catch (err) {
    if (!(err instanceof ProviderError)) throw err;
    assert.ok(EXPECTED_CODES.has(err.code), err.message);
    assert.ok(double.accepted.length <= 1);
    return err.code;
  } finally {
    await host.close();
    await double.close();
  }
}

it(`submits each of ${CALLS} calls at most once (seed ${SEED})`, async () => {
  const random = createSeededRandom(SEED);
  const counts: Record<string, number> = {};
  for (let call = 0; call < CALLS; call++) {
    const outcome = await callOnce(random);
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  assert.ok((counts.delivered ?? 0) > CALLS / 2, JSON.stringify(counts));
  assert.ok((counts.provider_outcome_unknown ?? 0) > 0, JSON.stringify(counts));
});
