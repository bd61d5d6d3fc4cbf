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
  listChosenCredentials,
} from '../../store/credentials.ts';
import type { Tx } from '../../store/db.ts';
import { findWorkflow } from '../../store/workflows/workflows.ts';
import { authorize, getWorkspaceId } from '../accounts/access.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { Id, NamedExact, Nullable } from '../schema.ts';
import { requireCredentialsEnabled } from './credential-access.ts';

const Choice = Nullable(Id('Credential ID, `cred_…`; null: the default of the workspace'));

export const WorkflowCredentials = NamedExact(
  'WorkflowCredentials',
  'The credentials that a workflow uses instead of the defaults of its workspace, by provider',
  {
    fal: Type.Optional(Choice),
    replicate: Type.Optional(Choice),
    openai: Type.Optional(Choice),
    elevenlabs: Type.Optional(Choice),
    comfyui: Type.Optional(Choice),
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
      const row = isId('credential', id) ? await findCredential(tx, id) : undefined;
      if (row?.workspace !== workspace || row.kind !== kind)
        throw createFieldError(`/${kind}`, `must be a ${kind} credential of the workflow's workspace`);
      await chooseCredential(tx, workflow.id, { kind, credential_id: id });
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

async function readChoices(tx: Tx, workflowId: string): Promise<WorkflowCredentials> {
  const chosen = new Map(
    (await listChosenCredentials(tx, workflowId)).map(row => [row.kind, row.credential_id]),
  );
  return Object.fromEntries(PROVIDER_NAMES.map(kind => [kind, chosen.get(kind) ?? null]));
}
