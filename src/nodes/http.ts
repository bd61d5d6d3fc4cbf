// Implements the HTTP request node on top of the guarded client.
import { isJsonObject, type Json } from '../graph/types.ts';
import { decodeText } from '../lib/charset.ts';
import { choice, defineNode, json as jsonPort, type NodeContext, NodeError, number, text } from './define.ts';
import { parseJsonValue } from './json-value.ts';
import { parseBoundedJson, requireShortText } from './value-checks.ts';

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_HEADERS = 50;
// The client sets these headers itself, so a graph must not set them.
const RESERVED_HEADERS =
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
    timeoutMs: number('Timeout in milliseconds', { default: 30_000, min: 100, max: 120_000, integer: true }),
    onError: choice('On HTTP errors', ['fail', 'pass on']),
  },
  outputs: { text: text('Text'), json: jsonPort('JSON'), status: number('Status') },
  run: async ({ url, body, method, headers, timeoutMs, onError }, ctx) => {
    const { keepsRequestOnRedirect, conceal, ...request } = insertSecrets({ url, body, headers }, ctx);
    const hasBody = method !== 'GET' && method !== 'HEAD';
    if (request.body !== undefined && !hasBody)
      ctx.task.warn(`The body was not sent, because a ${method} request has none. Choose another method.`);
    const response = await ctx.fetch(request.url, {
      method,
      headers: parseHeaders(request.headers),
      timeoutMs,
      maxBytes: MAX_BODY_BYTES,
      ...(keepsRequestOnRedirect === undefined ? {} : { keepsRequestOnRedirect }),
      ...(request.body === undefined || !hasBody ? {} : { body: request.body }),
    });
    if (response.status >= 400 && onError === 'fail') {
      throw new NodeError(
        'http_error',
        `${new URL(request.url).host} responded with status ${response.status}.`,
      );
    }
    const contentType = response.headers['content-type'] ?? '';
    const responseText = requireShortText(conceal(decodeText(response.body, contentType)));
    const isJson = /\bjson\b/i.test(contentType);
    const json = isJson ? parseBoundedJson(responseText) : undefined;
    // The JSON is tagged, so that a response that looks like a tagged value is not treated as one.
    return {
      text: responseText,
      json: json === undefined ? undefined : parseJsonValue(responseText),
      status: response.status,
    };
  },
});

interface RequestParts {
  readonly url: string;
  readonly body: string | undefined;
  readonly headers: Json;
}

interface FilledRequest extends RequestParts {
  /** Returns whether a redirect to this URL keeps the headers and body. Absent if the request contains no secrets. */
  readonly keepsRequestOnRedirect?: (to: URL) => boolean;
  /** Removes the request's secrets from the text of the response. */
  readonly conceal: (responseText: string) => string;
}

/** Replaces each secret to find out whether the host of the URL contains one. No real host name contains this text. */
const MARKER = 'zq0secret0qz';

/**
 * Inserts the secrets into the request: into the path and query of the URL, the headers, and the body. Throws NodeError
 * if a secret is in the host name or if this run may not send it to that host.
 */
function insertSecrets(parts: RequestParts, { secrets }: NodeContext): FilledRequest {
  const names = new Set<string>();
  const unconnectedParts = Object.fromEntries(
    Object.entries(parts).filter(([port]) => secrets?.connectedPorts.has(port) !== true),
  );
  const collectName = (name: string): string => {
    names.add(name);
    return MARKER;
  };
  const markedParts = secrets?.replace(unconnectedParts, collectName) as Partial<RequestParts> | undefined;
  if (secrets === undefined || names.size === 0) return { ...parts, conceal: responseText => responseText };
  const markedUrl = URL.parse(markedParts?.url ?? parts.url);
  if (markedUrl === null) throw createHostError('The URL is malformed.');
  const { protocol, username, password, host } = markedUrl;
  if (`${protocol} ${username} ${password} ${host}`.toLowerCase().includes(MARKER))
    throw createHostError('The host name of the URL contains a secret.');
  const filledParts = secrets.replace(unconnectedParts, name => secrets.valueFor(name, markedUrl));
  const request: RequestParts = { ...parts, ...(filledParts as Partial<RequestParts>) };
  if (URL.parse(request.url)?.origin !== markedUrl.origin)
    throw createHostError('A secret changes the host of the URL.');
  return {
    ...request,
    keepsRequestOnRedirect: to => secrets.mayRedirect([...names], markedUrl, to),
    conceal: responseText => secrets.conceal(responseText, [...names]),
  };
}

function createHostError(problem: string): NodeError {
  const advice =
    'Write the scheme, host and port in plain text, and use secrets only in the path, query, headers or body.';
  return new NodeError('secret_in_host', `${problem} ${advice}`);
}

function parseHeaders(headers: Json): Record<string, string> {
  if (!isJsonObject(headers)) throw new NodeError('invalid_headers', 'headers must be an object of strings.');
  const pairs = Object.entries(headers);
  if (pairs.length > MAX_HEADERS)
    throw new NodeError('invalid_headers', `At most ${MAX_HEADERS} headers are allowed.`);
  for (const [name, value] of pairs) {
    const isAllowedName = /^[\w!#$%&'*+.^`|~-]{1,128}$/.test(name) && !RESERVED_HEADERS.test(name);
    if (
      !isAllowedName ||
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
