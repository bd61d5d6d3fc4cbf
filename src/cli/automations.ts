// `graphwright automations`: lists, pauses, resumes and runs schedules and triggers.
import { isId } from '../lib/ids.ts';
import { readSettings } from '../lib/settings.ts';
import { createServiceClient } from './client.ts';
import { type Command, type CommandInput, UsageError } from './command.ts';
import type { Terminal } from './terminal/terminal.ts';
import { alignColumns, cleanText } from './terminal/text-width.ts';

interface Automation {
  readonly id: string;
  readonly name: string;
  readonly isActive: boolean;
  readonly pausedReason: string | null;
  readonly nextRunAt?: string | null;
}

/** The kinds of automations, with their API paths. */
const KINDS = [
  { kind: 'schedule', path: '/schedules' },
  { kind: 'trigger', path: '/triggers' },
] as const;

export const listAutomations: Command = async ({ options, terminal, signal }) => {
  const client = createServiceClient(readSettings(), signal);
  const automations: Automation[] = [];
  for (const { path } of KINDS) automations.push(...(await client.list<Automation>(path)));
  if (options.json === true) terminal.print(JSON.stringify(automations, null, 2));
  else printAutomations(automations, terminal);
};

export const pauseAutomation: Command = input => setActive(input, false);
export const resumeAutomation: Command = input => setActive(input, true);

async function setActive(
  { args: [id = ''], options, terminal, signal }: CommandInput,
  isActive: boolean,
): Promise<void> {
  const client = createServiceClient(readSettings(), signal);
  const automation = await client.patch<Automation>(toPath(id), { isActive });
  if (options.json === true) terminal.print(JSON.stringify(automation, null, 2));
  else terminal.print(describeState(automation));
}

function describeState({ id, isActive, nextRunAt }: Automation): string {
  if (!isActive) return `${id} is paused.`;
  return nextRunAt == null ? `${id} is active.` : `${id} is active. Next run: ${nextRunAt}`;
}

export const runAutomation: Command = async ({ args: [id = ''], options, terminal, signal }) => {
  const client = createServiceClient(readSettings(), signal);
  const run = await client.post<{ readonly executionId: string }>(`${toPath(id)}/run`, {});
  terminal.print(options.json === true ? JSON.stringify(run, null, 2) : run.executionId);
};

function toPath(id: string): string {
  const automationKind = KINDS.find(({ kind }) => isId(kind, id));
  if (automationKind === undefined)
    throw new UsageError(`${id} is not the id of an automation. See \`graphwright automations list\`.`);
  return `${automationKind.path}/${id}`;
}

function printAutomations(automations: readonly Automation[], terminal: Terminal): void {
  const rows = automations.map(({ id, name, isActive, pausedReason, nextRunAt }) => [
    id,
    cleanText(name),
    isActive ? 'active' : `paused${pausedReason === null ? '' : ` (${pausedReason})`}`,
    nextRunAt ?? '',
  ]);
  if (rows.length === 0) terminal.note('There are no automations.');
  else terminal.print(alignColumns([['id', 'name', 'state', 'next run'], ...rows]).join('\n'));
}
