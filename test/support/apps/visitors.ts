// Creates apps, and visitors without an account who run them with proofs of work or tokens.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import type { Challenge } from 'altcha-lib/types';
import { SignJWT } from 'jose';
import type { Client, Reply } from '../client.ts';
import { waitUntil } from '../processes.ts';
import type { TestService } from '../service.ts';
import { edge, node } from '../workflows.ts';

export interface AppRun {
  readonly runId: string;
  readonly status: string;
  readonly progress: number;
  readonly outputs: Readonly<Record<string, { readonly text?: string; readonly url?: string }>>;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly expiresAt: string;
  readonly page: string;
}

export interface StartedAppRun {
  readonly runId: string;
  readonly code?: string;
  readonly error?: string;
  readonly issues?: readonly { readonly path: string; readonly message: string }[];
  readonly urls: Readonly<Record<string, string>>;
}

const createLabeledNode = (id: string, nodeType: string, config: Record<string, unknown>, label: string) => {
  const unlabeledNode = node(id, nodeType, config);
  return { ...unlabeledNode, data: { ...unlabeledNode.data, label } };
};

/** A graph whose ids, prompts and labels no visitor may see. */
export const SECRET_GRAPH = {
  nodes: [
    createLabeledNode(
      'secret_topic',
      'input:text',
      { value: 'draw like the hidden master of lighthouses' },
      'Confidential topic',
    ),
    createLabeledNode(
      'secret_style',
      'utility:text_template',
      { template: 'Hello {{name}}' },
      'Confidential style',
    ),
    createLabeledNode('secret_end', 'output:preview', {}, 'Confidential end'),
  ],
  edges: [edge('secret_topic.text > secret_end.input')],
};
/** The settings of an app of SECRET_GRAPH. */
export const SECRET_FORM = {
  inputs: [{ nodeId: 'secret_topic', label: 'Topic', placeholder: 'A fox', maxLength: 40 }],
  outputs: ['secret_end'],
};

/** Creates a workflow with an app for anyone and returns the app's slug. */
export async function createApp(
  owner: Client,
  settings: object = {},
  graph: object = SECRET_GRAPH,
): Promise<string> {
  const id = await owner.createWorkflow(graph);
  return saveApp(owner, id, { ...SECRET_FORM, audience: 'anyone', ...settings });
}

/** Returns the status and error code of a response. */
export const toStatusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [
  status,
  body.code,
];

let slugCount = 0;

/** Saves an app of the workflow and returns its slug. */
export async function saveApp(owner: Client, workflowId: string, settings: object): Promise<string> {
  const body = { slug: `app-${++slugCount}`, title: 'An app', ...settings };
  const saved = await owner.request('PUT', `/workflows/${workflowId}/app`, body);
  assert.equal(saved.status, 200, JSON.stringify(saved.body));
  return body.slug;
}

export interface Visitor {
  request<B>(
    method: string,
    path: string,
    body?: unknown,
    headers?: object,
  ): Promise<Reply<B> & { text: string }>;
}

let networkCount = 0;

/** Creates a visitor without an account. The default network is a different one for each visitor. */
export function createVisitor(
  service: Pick<TestService, 'url'>,
  headers: Readonly<Record<string, string>> = {},
  network = `198.${18 + (networkCount >> 16)}.${(networkCount >> 8) & 255}.${networkCount++ & 255}`,
): Visitor {
  return {
    async request<B>(method: string, path: string, body?: unknown, requestHeaders: object = {}) {
      const response = await fetch(`${service.url}${path.startsWith('/a/') ? '' : '/api/v1'}${path}`, {
        method,
        headers: {
          'x-forwarded-for': network,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
          ...requestHeaders,
        },
        redirect: 'manual',
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json') === true;
      return {
        status: response.status,
        headers: response.headers,
        body: (isJson ? JSON.parse(text) : undefined) as B,
        text,
      };
    },
  };
}

/** Solves a challenge and returns the proof of work. */
export function solveChallenge({ algorithm, challenge, salt, signature, maxnumber = 0 }: Challenge): string {
  let number = 0;
  // `hash` takes a third of the time of `createHash`.
  while (hash('sha256', `${salt}${number}`) !== challenge && number <= maxnumber) number++;
  return Buffer.from(JSON.stringify({ algorithm, challenge, number, salt, signature })).toString('base64');
}

/** Requests a challenge of the app and returns a proof of work. */
export async function createProof(visitor: Visitor, slug: string): Promise<string> {
  const { body } = await visitor.request<Challenge>('GET', `/apps/${slug}/challenge`);
  return solveChallenge(body);
}

/** Runs the app as an anonymous visitor. */
export async function runAsVisitor(
  visitor: Visitor,
  slug: string,
  inputs: object = {},
  headers: object = {},
): Promise<Reply<StartedAppRun>> {
  const proof = await createProof(visitor, slug);
  return visitor.request<StartedAppRun>('POST', `/apps/${slug}/run`, { inputs, proof }, headers);
}

interface Requester {
  request<B>(method: string, path: string): Promise<{ readonly body: B }>;
}

/** Replaces the key that signs visitors' tokens for the workflow's app, and returns the new key. */
export const createEmbedKey = async (owner: Requester, workflowId: string): Promise<string> =>
  (await owner.request<{ key: string }>('POST', `/workflows/${workflowId}/app/embed-key`)).body.key;

/** Signs a visitor's token for the app with this slug. */
export const signVisitor = (
  key: string,
  slug: string,
  { sub = 'ada', seconds = 200, header = {} }: { sub?: string; seconds?: number; header?: object } = {},
): Promise<string> =>
  new SignJWT()
    .setProtectedHeader({ alg: 'HS256', ...header })
    .setSubject(sub)
    .setAudience(slug)
    .setExpirationTime(Math.floor(Date.now() / 1000) + seconds)
    .sign(Buffer.from(key));

/** Waits until the run has ended. */
export async function waitForAppRun(visitor: Requester, slug: string, runId: string): Promise<AppRun> {
  let run: AppRun | undefined;
  await waitUntil(`run ${runId} to end`, async () => {
    run = (await visitor.request<AppRun>('GET', `/apps/${slug}/runs/${runId}`)).body;
    return ['COMPLETED', 'FAILED', 'CANCELLED'].includes(run.status);
  });
  return run as AppRun;
}
