// The HTTP request node, through the guarded client.
import type { Json } from '../graph/types.ts';
import { choice, defineNode, json as jsonPort, NodeError, number, text } from './define.ts';
import { boundedText, isJsonObject, parseJson } from './limits.ts';

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_HEADERS = 50;
// Set by the client itself; a graph that sets them could make the request mean two things.
const OWN_HEADERS =
  /^(host|content-length|transfer-encoding|connection|upgrade|te|trailer|expect|proxy-.*)$/i;

export const httpRequest = defineNode({
  nodeType: 'utility:http_request',
  label: 'HTTP request',
  description: 'Sends a request and gives the answer as text, and as JSON where it is JSON.',
  category: 'utility',
  secrets: true,
  inputs: { url: text('Address', { required: true }), body: text('Body') },
  config: {
    method: choice('Method', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']),
    headers: jsonPort('Headers', { default: {}, description: 'Name → value; {{secrets.NAME}} may be used.' }),
    timeoutMs: number('Timeout in milliseconds', { default: 30_000, min: 100, max: 120_000 }),
    onError: choice('Answers of 400 and above', ['fail', 'pass on']),
  },
  outputs: { text: text('Text'), json: jsonPort('JSON'), status: number('Status') },
  run: async ({ url, body, method, headers, timeoutMs, onError }, ctx) => {
    const answer = await ctx.fetch(url, {
      method,
      headers: readHeaders(headers),
      timeoutMs,
      maxBytes: MAX_BODY_BYTES,
      ...(body === undefined || method === 'GET' || method === 'HEAD' ? {} : { body }),
    });
    if (answer.status >= 400 && onError === 'fail') {
      throw new NodeError('http_error', `${new URL(url).host} answered ${answer.status}.`);
    }
    const written = boundedText(answer.body.toString('utf8'));
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
