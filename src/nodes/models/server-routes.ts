// Finds out what a server that speaks OpenAI's protocol serves, without generating anything: lists its models, and sends
// a request without input to each route.
import { toError } from '../../lib/errors.ts';
import { encodeForm } from '../../providers/multipart.ts';
import { SERVER_ROUTES, type ServerRoute } from '../../providers/names.ts';
import { toOpenAiHeaders } from '../../providers/openai.ts';
import type { Endpoint } from '../../providers/provider.ts';
import {
  asArray,
  asNonEmptyText,
  asRecord,
  type ProviderResponse,
  parseResponseObject,
} from '../../providers/response.ts';
import type { Send, SendInit } from '../../providers/send.ts';
import { readProbe } from './provider-probes.ts';

const PATHS: Readonly<Record<ServerRoute, string>> = {
  chat: '/chat/completions',
  images: '/images/generations',
  speech: '/audio/speech',
  transcriptions: '/audio/transcriptions',
  embeddings: '/embeddings',
};

/** A server is asked for at most this many models. */
export const MAX_LISTED_MODELS = 500;
const MAX_MODEL_LENGTH = 200;
const MAX_LIST_BYTES = 8_000_000;
const MAX_REPLY_BYTES = 65_536;
const MISSING_STATUSES: ReadonlySet<number> = new Set([404, 405, 501]);

export interface ServerFacts {
  /** A sentence that says why the server cannot be used, or null. */
  readonly error: string | null;
  /** Absent if the server cannot be used. */
  readonly serves?: readonly ServerRoute[];
  readonly models?: readonly string[];
}

interface ServerAccess {
  readonly endpoint: Endpoint;
  readonly fetch: Send;
}

/** Reads what the server serves. All requests are sent at the same time and take at most `timeoutMs`. */
export async function readServerFacts(server: ServerAccess, timeoutMs: number): Promise<ServerFacts> {
  const [list, ...routes] = await Promise.all([
    ask(server, 'models', timeoutMs),
    ...SERVER_ROUTES.map(route => ask(server, route, timeoutMs)),
  ]);
  const isMissing =
    list.response !== undefined && (isMissingRoute(list.response) || isUnreadable(list.response));
  // A server that answers some requests and not others is busy, for example with a transcription.
  const hasAnswered = [list, ...routes].some(({ response }) => response !== undefined);
  const serves = SERVER_ROUTES.filter((_, index) => {
    const response = routes[index]?.response;
    return response === undefined ? routes[index]?.isLate === true && hasAnswered : !isMissingRoute(response);
  });
  const error = list.response === undefined ? list.error : readProbe('openai', list.response).error;
  if (list.response !== undefined && !isMissing)
    return error === null ? { error, serves, models: readModels(list.response) } : { error };
  const isServer = serves.length > 0 && hasAnswered && routes.some(({ response }) => isServerReply(response));
  if (isServer) return { error: null, serves, models: [] };
  return { error: isMissing ? explainMissing(server.endpoint) : error };
}

interface Answer {
  readonly response?: ProviderResponse;
  readonly error: string | null;
  /** Whether no response arrived in time. */
  readonly isLate?: boolean;
}

async function ask(
  { endpoint: { baseUrl, key }, fetch }: ServerAccess,
  route: ServerRoute | 'models',
  timeoutMs: number,
): Promise<Answer> {
  const signal = AbortSignal.timeout(timeoutMs);
  const headers = toOpenAiHeaders(key);
  const limits = { timeoutMs, signal, maxBytes: route === 'models' ? MAX_LIST_BYTES : MAX_REPLY_BYTES };
  try {
    if (route === 'models')
      return {
        response: await fetch(`${baseUrl}/models`, { method: 'GET', headers, ...limits }),
        error: null,
      };
    const { contentType, body } = createEmptyRequest(route);
    const init: SendInit = {
      method: 'POST',
      headers: { ...headers, 'content-type': contentType },
      body,
      ...limits,
    };
    return { response: await fetch(baseUrl + PATHS[route], init), error: null };
  } catch (err) {
    return { error: toError(err).message, isLate: signal.aborted };
  }
}

/** Creates a request that every server rejects, because it has no input. */
const createEmptyRequest = (
  route: ServerRoute,
): { readonly contentType: string; readonly body: string | Uint8Array } =>
  route === 'transcriptions' ? encodeForm([]) : { contentType: 'application/json', body: '{}' };

/** Returns whether the response says that the server has no such route. Some servers say so with status 200. */
function isMissingRoute(response: ProviderResponse): boolean {
  if (MISSING_STATUSES.has(response.status)) return true;
  if (response.status >= 300) return false;
  const { error } = parseResponseObject(response) ?? {};
  const isWebPage = response.headers['content-type']?.includes('text/html') === true;
  return isWebPage || (typeof error === 'string' && error.startsWith('Unexpected endpoint'));
}

/** Returns whether the response claims to be a list, but is none. */
const isUnreadable = (response: ProviderResponse): boolean =>
  response.status < 300 && parseResponseObject(response) === undefined;

/** Returns whether the response to a request without input is that of a route, rather than of any web server. */
const isServerReply = (response: ProviderResponse | undefined): boolean =>
  response !== undefined && !isMissingRoute(response) && parseResponseObject(response) !== undefined;

function readModels(response: ProviderResponse): readonly string[] {
  return asArray(parseResponseObject(response)?.data)
    .slice(0, MAX_LISTED_MODELS)
    .flatMap(row => asNonEmptyText(asRecord(row).id)?.slice(0, MAX_MODEL_LENGTH) ?? []);
}

function explainMissing({ baseUrl }: Endpoint): string {
  const hint =
    URL.parse(baseUrl)?.pathname === '/' ? ' Most servers need /v1 at the end of the address.' : '';
  return `The address does not respond like OpenAI.${hint}`;
}
