// Implements the HTTP request node on top of the guarded client.
import type { Json } from '../graph/types.ts';
import { choice, defineNode, json as jsonPort, type NodeContext, NodeError, number, text } from './define.ts';
import { boundedText, isJsonObject, parseJson } from './limits.ts';

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_HEADERS = 50;
// The client sets these headers itself. If a graph could set them too, the request would be ambiguous.
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
      throw new NodeError('http_error', `${new URL(sent.url).host} responded with status ${answer.status}.`);
    }
    const written = boundedText(conceal(answer.body.toString('utf8')));
    const isJson = /\bjson\b/i.test(answer.headers['content-type'] ?? '');
    const json = isJson ? parseJson(written) : undefined;
    // Tagged, so that a response that looks like a tagged value is not treated as one. Undefined if the response is not
    // JSON.
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
  /** Whether the request, with its secrets, may be redirected to this URL. Absent if it has no secrets. */
  readonly mayCarry?: (next: URL) => boolean;
  /** Removes the secrets that were sent from the response. */
  readonly conceal: (data: string) => string;
}

/**
 * A placeholder for a secret when only its position in the URL matters. It is the same in any case and occurs in no
 * real host name.
 */
const MARKER = 'zq0secret0qz';

/**
 * Returns the request with its secrets filled in: into the path and query of a URL written in the node, into headers,
 * and into the body. Throws NodeError if a secret is in the host name or this run may not send it to that host.
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
  if (first === null) throw notInHost('The URL is malformed.');
  const { protocol, username, password, host } = first;
  if (`${protocol} ${username} ${password} ${host}`.toLowerCase().includes(MARKER))
    throw notInHost('The host name of the URL contains a secret.');
  const filled = secrets.replace(Object.fromEntries(settings), name => secrets.valueFor(name, first));
  const sent: Parts = { ...parts, ...(filled as Partial<Parts>) };
  if (URL.parse(sent.url)?.origin !== first.origin) throw notInHost('A secret changes the host of the URL.');
  return {
    ...sent,
    mayCarry: next => secrets.mayCarry([...names], first, next),
    conceal: data => secrets.conceal(data, [...names]),
  };
}

function notInHost(problem: string): NodeError {
  const advice =
    'Write the scheme, host and port in plain text, and use secrets only in the path, query, headers or body.';
  return new NodeError('secret_in_host', `${problem} ${advice}`);
}

function readHeaders(headers: Json): Record<string, string> {
  if (!isJsonObject(headers)) throw new NodeError('invalid_headers', 'headers must be an object of strings.');
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
        `The header ${JSON.stringify(name.slice(0, 60))} is invalid or reserved.`,
      );
    }
  }
  return Object.fromEntries(pairs as [string, string][]);
}
