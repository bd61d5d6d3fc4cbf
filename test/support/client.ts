// Calls a service over real HTTP, for tests that need sockets or processes.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { pathOf } from './app.ts';
import { waitUntil } from './processes.ts';

export interface Reply<B> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: B;
}

/** The fields of an execution that tests read. */
export interface Execution {
  readonly id: string;
  readonly status: string;
  readonly error: { readonly code: string; readonly message: string; readonly nodeId: string | null } | null;
  readonly progress: { readonly done: number; readonly total: number };
  readonly inputs: Record<string, unknown>;
  readonly metadata: Record<string, unknown> | null;
  readonly nodeStates: readonly NodeState[];
  readonly outputs: readonly Record<string, unknown>[];
  readonly webhook: {
    readonly state: string;
    readonly attempts: number;
    readonly lastStatusCode: number | null;
  } | null;
  readonly resumedFromId: string | null;
  readonly trigger: string;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly idempotencyKey: string | null;
  readonly code?: string;
}

export interface NodeState {
  readonly seed?: number;
  readonly seeds?: readonly (number | null)[];
  readonly nodeId: string;
  readonly label: string;
  readonly status: string;
  readonly attempt: number;
  readonly cached: boolean;
  readonly credits: number;
  readonly error: string | null;
  readonly text?: string;
  readonly outputUrl?: string;
  readonly value?: unknown;
  readonly provider?: { readonly name: string; readonly jobId: string | null };
}

export interface Client {
  readonly key: string;
  request<B = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Reply<B>>;
  /**
   * Creates a user with a key that can change and run workflows. Only for administrators. `user` overrides fields of
   * `POST /admin/users`.
   */
  createUser(user?: Readonly<Record<string, unknown>>): Promise<TestUser>;
  /** Stores a workflow and returns its id. */
  createWorkflow(graph: object): Promise<string>;
  /** Starts a run and returns its id. */
  startRun(workflowId: string, body?: object): Promise<string>;
  /** Runs a workflow until it ends. */
  runWorkflow(workflowId: string, body?: object): Promise<Execution>;
  readExecution(id: string): Promise<Execution>;
  /** Waits until the execution has one of the statuses, or until it has ended if no status is given. */
  waitForStatus(id: string, ...statuses: readonly string[]): Promise<Execution>;
}

export interface TestUser extends Client {
  readonly userId: number;
  readonly email: string;
}

const TERMINAL_STATUSES = ['COMPLETED', 'FAILED', 'TIMEOUT', 'CANCELLED'];

/** Creates a client whose paths are relative to `/api/v1`. */
export function createClient(url: string, key: string): Client {
  const request: Client['request'] = async <B>(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply<B>> => {
    const response = await fetch(`${url}${pathOf(path)}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? undefined : JSON.parse(text)) as B,
    };
  };
  const readExecution = async (id: string): Promise<Execution> => {
    const { status, body } = await request<Execution>('GET', `/executions/${id}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const waitForStatus = async (id: string, ...statuses: readonly string[]): Promise<Execution> => {
    const expectedStatuses = statuses.length === 0 ? TERMINAL_STATUSES : statuses;
    let execution = await readExecution(id);
    await waitUntil(`execution ${id} to be ${expectedStatuses.join(' or ')}`, async () => {
      if (!expectedStatuses.includes(execution.status)) execution = await readExecution(id);
      return expectedStatuses.includes(execution.status);
    });
    return execution;
  };
  return {
    key,
    request,
    readExecution,
    createUser: async user => {
      const newUser = {
        email: `user-${randomUUID()}@example.com`,
        name: 'Another user',
        plan: 'self_hosted',
        keyScopes: ['workflows:read', 'workflows:write', 'workflows:execute'],
        ...user,
      };
      const { status, body } = await request<{ userId: number; apiKey: string }>(
        'POST',
        '/admin/users',
        newUser,
      );
      assert.equal(status, 201, JSON.stringify(body));
      return { ...createClient(url, body.apiKey), userId: body.userId, email: newUser.email };
    },
    createWorkflow: async graph => {
      const { status, body } = await request<{ id: string }>('POST', '/workflows', { name: 'W', ...graph });
      assert.equal(status, 201, JSON.stringify(body));
      return body.id;
    },
    startRun: async (workflowId, body = {}) => {
      const response = await request<{ executionId: string }>('POST', `/workflows/${workflowId}/run`, body);
      assert.equal(response.status, 202, JSON.stringify(response.body));
      return response.body.executionId;
    },
    runWorkflow: async (workflowId, body = {}) => {
      const path = `/workflows/${workflowId}/run`;
      const response = await request<Execution & { executionId: string }>('POST', path, body, {
        prefer: 'wait=30',
      });
      // On a busy machine, a run can take longer than a request may wait.
      if (response.status === 202) return waitForStatus(response.body.executionId);
      assert.equal(response.status, 200, JSON.stringify(response.body));
      return response.body;
    },
    waitForStatus,
  };
}

/** Returns the node states by node id. */
export function mapStates({
  nodeStates,
}: Pick<Execution, 'nodeStates'>): Readonly<Record<string, NodeState>> {
  return Object.fromEntries(nodeStates.map(state => [state.nodeId, state]));
}
