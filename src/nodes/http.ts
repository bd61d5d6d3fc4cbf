// The HTTP request node, through the guarded client.
import type { Json } from '../graph/types.ts';
import { choice, defineNode, json as jsonPort, type NodeContext, NodeError, number, text } from './define.ts';
import { boundedText, isJsonObject, parseJson } from './limits.ts';

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_HEADERS = 50;
// Set by the client itself; a graph that sets them could make the request mean two things.
const OWN_HEADERS =
  /^(host|content-length|transfer-encoding|connection|upgrade|te|trailer|expect|proxy-.*)$/i;

export const httpRequest = defineNode({
  nodeType: 'utility:http_request',
  label: 'HTTP request',
  description: 'Sends an HTTP request. Outputs the response as text, and as JSON if it is JSON.',
  category: 'utility',
  secrets: 'in requests',
  inputs: { url: text('URL', { required: true }), body: text('Body') },
  config: {
    method: choice('Method', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']),
    headers: jsonPort('Headers', { default: {}, description: 'Name → value. Supports {{secrets.NAME}}.' }),
    timeoutMs: number('Timeout in milliseconds', { default: 30_000, min: 100, max: 120_000 }),
    onError: choice('On HTTP errors', ['fail', 'pass on']),
  },
  outputs: { text: text('Text'), json: jsonPort('JSON'), status: number('Status') },
  run: async ({ url, body, method, headers, timeoutMs, onError }, ctx) => {
    const { mayCarry, conceal, ...sent } = putSecrets({ url, body, headers }, ctx);
    const answer = await ctx.fetch(sent.url, {
      method,
      headers: readHeaders(sent.headers),
      timeoutMs,
      maxBytes: MAX_BODY_BYTES,
      ...(mayCarry === undefined ? {} : { mayCarry }),
      ...(sent.body === undefined || method === 'GET' || method === 'HEAD' ? {} : { body: sent.body }),
    });
    if (answer.status >= 400 && onError === 'fail') {
      throw new NodeError('http_error', `${new URL(sent.url).host} answered ${answer.status}.`);
    }
    const written = boundedText(conceal(answer.body.toString('utf8')));
    const isJson = /\bjson\b/i.test(answer.headers['content-type'] ?? '');
    const json = isJson ? parseJson(written) : undefined;
    // Tagged, so that an answer that looks like a tagged value is not taken for one. Not JSON: no value.
    return {
      text: written,
      json: json === undefined ? undefined : { type: 'JSON', json },
      status: answer.status,
    };
  },
});

interface Parts {
  readonly url: string;
  readonly body: string | undefined;
  readonly headers: Json;
}

interface FilledParts extends Parts {
  /** Whether the request may be sent on to the address, secrets included; absent where it has none. */
  readonly mayCarry?: (next: URL) => boolean;
  /** What was answered, without the secrets that were sent. */
  readonly conceal: (data: string) => string;
}

/** Stands in for a secret where only its place in the address matters: the same in any case, and in no real host name. */
const MARKER = 'zq0secret0qz';

/**
 * The request with its secrets put in: into the path and query of an address that is written in the node, into headers and
 * the body. Throws NodeError where one stands in the host name, or may not be sent to that host by this run.
 */
function putSecrets(parts: Parts, { secrets }: NodeContext): FilledParts {
  const names = new Set<string>();
  const settings = Object.entries(parts).filter(([port]) => secrets?.wired.has(port) !== true);
  const note = (name: string): string => {
    names.add(name);
    return MARKER;
  };
  const marked = secrets?.replace(Object.fromEntries(settings), note) as Partial<Parts> | undefined;
  if (secrets === undefined || names.size === 0) return { ...parts, conceal: data => data };
  const first = URL.parse(marked?.url ?? parts.url);
  if (first === null) throw notInHost('The address is not a URL.');
  const { protocol, username, password, host } = first;
  if (`${protocol} ${username} ${password} ${host}`.toLowerCase().includes(MARKER))
    throw notInHost('A secret stands in the host name of the address.');
  const filled = secrets.replace(Object.fromEntries(settings), name => secrets.valueFor(name, first));
  const sent: Parts = { ...parts, ...(filled as Partial<Parts>) };
  if (URL.parse(sent.url)?.origin !== first.origin)
    throw notInHost('A secret changes the host of the address.');
  return {
    ...sent,
    mayCarry: next => secrets.mayCarry([...names], first, next),
    conceal: data => secrets.conceal(data, [...names]),
  };
}

function notInHost(problem: string): NodeError {
  const advice =
    'Write scheme, host and port in the address, and keep secrets to its path, query, headers or body.';
  return new NodeError('secret_in_host', `${problem} ${advice}`);
}

function readHeaders(headers: Json): Record<string, string> {
  if (!isJsonObject(headers)) throw new NodeError('invalid_headers', 'headers must be an object of texts.');
  const pairs = Object.entries(headers);
  if (pairs.length > MAX_HEADERS)
    throw new NodeError('invalid_headers', `At most ${MAX_HEADERS} headers are allowed.`);
  for (const [name, value] of pairs) {
    const isUsable = /^[\w!#$%&'*+.^`|~-]{1,128}$/.test(name) && !OWN_HEADERS.test(name);
    if (
      !isUsable ||
      typeof value !== 'string' ||
      /[^\t\x20-\x7e\x80-\xff]/.test(value) ||
      value.length > 8192
    ) {
      throw new NodeError(
        'invalid_headers',
        `The header ${JSON.stringify(name.slice(0, 60))} cannot be sent.`,
      );
    }
  }
  return Object.fromEntries(pairs as [string, string][]);
}
