// Lists the workflows that call a component.
import { isId } from '../../lib/ids.ts';
import {
  type CallerKey,
  type CallerRow,
  countHiddenCallers,
  listCallers,
} from '../../store/workflows/component-callers.ts';
import { findWorkflow } from '../../store/workflows/workflows.ts';
import { authorize, listClosedTeams } from '../accounts/access.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { type Order, type Page, type PageQuery, readPage } from '../paging.ts';

/** Lists the callers that the user may read, and counts the callers that the user may not read. Throws 403, 404. */
export async function listCallerPage(
  deps: Deps,
  actor: Actor,
  id: string,
  query: PageQuery,
): Promise<Page<unknown> & { readonly hidden: number }> {
  const { userId } = requireScope(actor, 'workflows:read');
  authorize(actor, 'read', await findWorkflow(deps.db, id, userId));
  const callerPage = await readPage(
    query,
    CALLER_ORDER,
    page => listCallers(deps.db, id, { userId, withoutTeams: listClosedTeams(actor), ...page }),
    presentCaller,
  );
  return { ...callerPage, hidden: await countHiddenCallers(deps.db, id, userId, listClosedTeams(actor)) };
}

const CALLER_ORDER: Order<CallerRow, CallerKey> = {
  keyOf: ({ caller_id, version }) => ({ callerId: caller_id, version: version ?? 0 }),
  encode: ({ callerId, version }) => `${callerId}:${version}`,
  decode: text => {
    const [callerId = '', version = '', extra] = text.split(':');
    const isKey = isId('workflow', callerId) && /^\d{1,9}$/.test(version) && extra === undefined;
    return isKey ? { callerId, version: Number(version) } : undefined;
  },
};

const presentCaller = ({ caller_id, name, version, node_ids, can_edit }: CallerRow) => ({
  workflowId: caller_id,
  name,
  version: version ?? ('latest' as const),
  nodeIds: node_ids,
  canEdit: can_edit,
});
