// Defines the tools for schedules and triggers.
import { Type } from 'typebox';
import { listAutomations, runAutomation, setAutomationActive } from '../../automation/automations.ts';
import { requireScope } from '../../services/accounts/actor.ts';
import { countStart } from '../../services/accounts/execution-limits.ts';
import { Exact } from '../../services/schema.ts';
import {
  ADD_HINTS,
  AnyObject,
  CHANGE_HINTS,
  Cursor,
  defineTool,
  Id,
  Limit,
  OutputSchema,
  READ_HINTS,
} from '../tool.ts';

const AUTOMATION_OUTPUT = OutputSchema({
  automations: Type.Array(AnyObject()),
  nextCursor: Type.String(),
  id: Type.String(),
  isActive: Type.Boolean(),
  pausedReason: Type.String(),
  nextRunAt: Type.String(),
  executionId: Type.String(),
});
const TOO_LONG_HINT = 'Read fewer with limit, or those of one workflow.';

/** Leaves out null members, and the inputs, which may be long. */
function toData(automation: object): Readonly<Record<string, unknown>> {
  const { inputs: _, ...members } = automation as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

export const listAutomationsTool = defineTool({
  name: 'list_automations',
  title: 'List automations',
  description: 'List schedules and triggers, with their last and next run.',
  scope: 'workflows:read',
  hints: READ_HINTS,
  input: Exact({ workflowId: Type.Optional(Id()), limit: Limit(50), cursor: Cursor }),
  output: AUTOMATION_OUTPUT,
  tooLongHint: TOO_LONG_HINT,
  call: async ({ deps, actor }, { limit = 20, ...query }) => {
    const { data, nextCursor } = await listAutomations(deps, actor, { limit, ...query });
    return { data: { automations: data.map(toData), nextCursor: nextCursor ?? undefined } };
  },
});

export const setAutomationActiveTool = defineTool({
  name: 'set_automation_active',
  title: 'Pause or activate automation',
  description: 'Pause or activate a schedule or trigger.',
  scope: 'workflows:execute',
  hints: { ...CHANGE_HINTS, idempotentHint: true },
  input: Exact({ id: Id(), isActive: Type.Boolean() }),
  output: AUTOMATION_OUTPUT,
  tooLongHint: TOO_LONG_HINT,
  call: async ({ deps, actor }, { id, isActive }) => ({
    data: toData(await setAutomationActive(deps, actor, id, isActive)),
  }),
});

export const runAutomationTool = defineTool({
  name: 'run_automation',
  title: 'Run automation now',
  description: 'Run a schedule or trigger now. Returns immediately; read the result with get_execution.',
  scope: 'workflows:execute',
  hints: { ...ADD_HINTS, openWorldHint: true },
  input: Exact({ id: Id(), payload: Type.Optional(AnyObject('What a trigger receives')) }),
  output: AUTOMATION_OUTPUT,
  tooLongHint: TOO_LONG_HINT,
  call: async ({ deps, actor }, { id, payload }) => {
    await countStart(deps, requireScope(actor, 'workflows:execute'));
    const { executionId } = await runAutomation(deps, actor, id, payload);
    return { data: { executionId } };
  },
});
