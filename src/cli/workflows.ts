// `graphwright workflows`: restores deleted workflows, over HTTP if there is a key, else directly in the database.
import type { RestoredWorkflow } from '../../sdk/src/schemas.ts';
import type { Command } from './command.ts';
import { onService } from './operator.ts';
import { cleanText } from './terminal/text-width.ts';

export const restoreWorkflow: Command = async ({ args, options, terminal, signal }) => {
  const [id = ''] = args;
  const workflow = await onService<RestoredWorkflow>(signal, {
    http: client => client.post(`/admin/workflows/${encodeURIComponent(id)}/restore`),
    database: async (deps, operator) =>
      (await import('../services/workflows/delete-workflow.ts')).restoreDeletedWorkflow(deps, operator, id),
  });
  if (options.json === true) return terminal.print(JSON.stringify(workflow, null, 2));
  terminal.print(
    `${workflow.id}, ${cleanText(workflow.name)}, was restored for user ${workflow.userId}, who can activate it again.`,
  );
};
