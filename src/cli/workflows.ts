// `graphwright workflows`: deleted workflows recovered, over HTTP where there is a key, else on the database itself.
import { readSettings } from '../lib/settings.ts';
import { connect } from './client.ts';
import type { Command } from './command.ts';
import { asOperator } from './operator.ts';
import { cleanText } from './terminal/text-width.ts';

interface Restored {
  readonly id: string;
  readonly name: string;
  readonly userId: number;
}

export const restoreWorkflow: Command = async ({ args, options, terminal, signal }) => {
  const [id = ''] = args;
  const settings = readSettings();
  const workflow: Restored =
    settings.GRAPHWRIGHT_API_KEY === undefined
      ? await asOperator(settings, async (deps, operator) =>
          (await import('../services/workflows/delete-workflow.ts')).recoverWorkflow(deps, operator, id),
        )
      : await connect(settings, signal).post<Restored>(`/admin/workflows/${encodeURIComponent(id)}/restore`);
  if (options.json === true) return terminal.print(JSON.stringify(workflow, null, 2));
  terminal.print(
    `${workflow.id}, ${cleanText(workflow.name)}, is back with user ${workflow.userId}, who can switch it on again.`,
  );
};
