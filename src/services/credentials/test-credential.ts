// Tests a credential with a request to its provider that costs nothing.
import { toError } from '../../lib/errors.ts';
import { getProbe, readProbe } from '../../nodes/models/provider-probes.ts';
import { readServerFacts, type ServerFacts } from '../../nodes/models/server-routes.ts';
import type { ProviderCredential } from '../../providers/credential.ts';
import { type CredentialKey, toServerKey } from '../../providers/names.ts';
import { listValues, recordServes, recordStatus } from '../../store/credentials.ts';
import { type Actor, requireScope, requireUser } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import type { TestCredentialBody } from './credential.schema.ts';
import type { RunCredential } from './credential.ts';
import {
  createCredentialNotFoundError,
  getVisibleCredential,
  requireCanManage,
  requireCredentialsEnabled,
} from './credential-access.ts';
import { findEnvironmentCredential, parseValues, requirePublicServer } from './credentials.ts';
import { decryptValues, toProviderCredential } from './provider-credential.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 8_000_000;
const TESTS_PER_MINUTE = 10;
const MINUTE_S = 60;

/** Tests values that are not stored. Throws 403 `credentials_off`, 429 after ten tests in a minute. */
export async function testValues(
  deps: Deps,
  actor: Actor,
  { kind, values, owner, server }: TestCredentialBody,
) {
  requireCredentialsEnabled(deps);
  const isInstance = owner === 'instance';
  const { userId } = requireScope(actor, isInstance ? 'instance:admin' : 'account:admin');
  const parsed = parseValues(kind, values);
  const workspace = isInstance ? null : '';
  requirePublicServer(deps, { workspace, server: server ?? null }, parsed);
  await countTest(deps, userId);
  const credential = toProviderCredential(deps, { id: '', kind, name: '', valueId: null, workspace }, parsed);
  return presentTest(await runTest(credential));
}

/** Tests a stored credential and records the result, or tests a credential of the environment. */
export async function testCredential(deps: Deps, actor: Actor, id: string) {
  const { userId } = requireUser(actor);
  const environment = findEnvironmentCredential(deps, actor, id);
  const opened = environment && (await deps.credentialOpener.open(toKey(environment), null));
  if (opened !== undefined) {
    await countTest(deps, userId);
    return presentTest(await runTest(opened));
  }
  requireCredentialsEnabled(deps);
  const { row, owner } = await getVisibleCredential(deps.db, actor, id);
  requireCanManage(actor, owner);
  const [value] = await listValues(deps.db, row.value_id === null ? [] : [row.value_id]);
  if (value === undefined) throw createCredentialNotFoundError();
  await countTest(deps, userId);
  const info = { ...row, kind: row.kind as ProviderCredential['kind'], valueId: value.id };
  const result = await runTest(toProviderCredential(deps, info, decryptValues(deps, value.encrypted)));
  const tested = { id, valueId: value.id };
  await recordStatus(deps.db, tested, { error: result.error, isTest: true });
  if (result.serves !== undefined) await recordServes(deps.db, tested, result.serves);
  return presentTest(result);
}

const toKey = ({ kind, server }: RunCredential): CredentialKey =>
  server === null ? kind : toServerKey(server);

/** Sends the free request, and for servers that speak OpenAI's protocol also one without input to each route. */
async function runTest(credential: ProviderCredential): Promise<TestResult> {
  if (credential.kind !== 'openai') return sendProbe(credential);
  const startedMs = performance.now();
  const facts = await readServerFacts(credential, TIMEOUT_MS);
  return { ...facts, latencyMs: Math.round(performance.now() - startedMs) };
}

type TestResult = Omit<ServerFacts, 'error'> & Awaited<ReturnType<typeof sendProbe>>;

/** Sends the free request. The error is null if the provider accepted the credential. */
export async function sendProbe({ kind, endpoint, fetch }: ProviderCredential) {
  const { url, headers } = getProbe(kind, endpoint);
  const startedMs = performance.now();
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const result = await fetch(url, {
    method: 'GET',
    headers,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    signal,
  })
    .then(response => readProbe(kind, response))
    .catch((err: unknown) => ({ error: toError(err).message }));
  return { ...result, latencyMs: Math.round(performance.now() - startedMs) };
}

function presentTest({ error, latencyMs, serves, models, ...account }: TestResult) {
  return {
    ok: error === null,
    latencyMs,
    ...account,
    ...(error === null ? {} : { error }),
    ...(serves === undefined ? {} : { serves: [...serves] }),
    ...(models === undefined ? {} : { models: [...models] }),
  };
}

/** Counts a test. Throws 429 after ten in a minute. */
export async function countTest({ rateLimiter }: Deps, userId: number): Promise<void> {
  const reason = `A user can test ${TESTS_PER_MINUTE} credentials a minute`;
  await rateLimiter.requireToken(`credential tests ${userId}`, TESTS_PER_MINUTE, MINUTE_S, reason);
}
