// Reads and sets the credentials that a workflow uses instead of its workspace's defaults.
import { type Static, Type } from 'typebox';
import { createFieldError } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import { PROVIDER_NAMES } from '../../providers/names.ts';
import { recordAudit } from '../../store/audit/record-audit.ts';
import {
  chooseCredential,
  clearChosenCredential,
  findCredential,
  hasPool,
  listChosenCredentials,
} from '../../store/credentials.ts';
import type { Tx } from '../../store/db.ts';
import { findWorkflow } from '../../store/workflows/workflows.ts';
import { authorize, getWorkspaceId } from '../accounts/access.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { Id, NamedExact, Nullable } from '../schema.ts';
import { requireCredentialsEnabled } from './credential-access.ts';
import { DEFAULT_POOL } from './pools.ts';

const Choice = Nullable(Id('Credential ID, `cred_…`; null: the default of the workspace'));
const POOL_PREFIX = 'pool:';
const ServerChoice = Nullable(
  Type.String({
    minLength: 1,
    maxLength: 128,
    description:
      'Credential ID, `cred_…`, of a server, or `pool:` and the name of a pool of the workspace, else of the instance; null: the pool `default`',
  }),
);

export const WorkflowCredentials = NamedExact(
  'WorkflowCredentials',
  'The credentials that a workflow uses instead of the defaults of its workspace, by provider',
  {
    fal: Type.Optional(Choice),
    replicate: Type.Optional(Choice),
    openai: Type.Optional(Choice),
    elevenlabs: Type.Optional(Choice),
    comfyui: Type.Optional(ServerChoice),
  },
);
export type WorkflowCredentials = Static<typeof WorkflowCredentials>;

/** Returns the chosen credential of each provider; null for the default. Only for editors. Throws 404, 403. */
export async function readWorkflowCredentials({ db }: Pick<Deps, 'db'>, actor: Actor, workflowId: string) {
  const user = requireScope(actor, 'workflows:read');
  const { workflow } = authorize(actor, 'edit', await findWorkflow(db, workflowId, user.userId));
  return readChoices(db, workflow.id);
}

/** Changes the choices of the providers in the body. Throws 400 for a credential of another workspace or provider. */
export async function chooseCredentials(
  deps: Pick<Deps, 'db' | 'settings'>,
  actor: Actor,
  workflowId: string,
  choices: WorkflowCredentials,
) {
  const user = requireScope(actor, 'workflows:write');
  requireCredentialsEnabled(deps);
  return deps.db.transaction(async tx => {
    const { workflow } = authorize(actor, 'edit', await findWorkflow(tx, workflowId, user.userId));
    const workspace = getWorkspaceId(workflow);
    const before = await readChoices(tx, workflow.id);
    for (const kind of PROVIDER_NAMES) {
      const id = choices[kind];
      if (id === null) await clearChosenCredential(tx, workflow.id, kind);
      if (typeof id !== 'string') continue;
      if (kind === 'comfyui' && id.startsWith(POOL_PREFIX)) {
        const pool = id.slice(POOL_PREFIX.length);
        await requirePool(deps, tx, workspace, pool);
        await chooseCredential(tx, workflow.id, { kind, credential_id: null, pool });
        continue;
      }
      const row = isId('credential', id) ? await findCredential(tx, id) : undefined;
      if (row?.workspace !== workspace || row.kind !== kind)
        throw createFieldError(`/${kind}`, `must be a ${kind} credential of the workflow's workspace`);
      await chooseCredential(tx, workflow.id, { kind, credential_id: id, pool: null });
    }
    const after = await readChoices(tx, workflow.id);
    recordAudit(tx, user, {
      action: 'workflow.credentials_chosen',
      target: workflow.id,
      name: workflow.name,
      teamId: workflow.team_id,
      before,
      after,
    });
    return after;
  });
}

/** Throws 400 if neither the workspace nor the instance has a server in the pool. */
async function requirePool(
  { settings }: Pick<Deps, 'settings'>,
  tx: Tx,
  workspace: string,
  pool: string,
): Promise<void> {
  const isEnvironment = pool === DEFAULT_POOL && settings.COMFYUI_URL !== undefined;
  if (isEnvironment || (await hasPool(tx, workspace, pool)) || (await hasPool(tx, null, pool))) return;
  throw createFieldError(
    '/comfyui',
    `names the pool “${pool}”, in which neither the workspace nor the instance has a ComfyUI server`,
  );
}

async function readChoices(tx: Tx, workflowId: string): Promise<WorkflowCredentials> {
  const chosen = new Map(
    (await listChosenCredentials(tx, workflowId)).map(({ kind, credential_id, pool }) => [
      kind,
      pool === null ? credential_id : `${POOL_PREFIX}${pool}`,
    ]),
  );
  return Object.fromEntries(PROVIDER_NAMES.map(kind => [kind, chosen.get(kind) ?? null]));
}
